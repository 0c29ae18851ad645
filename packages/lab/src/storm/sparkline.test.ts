import { describe, expect, it } from 'vitest'
import { sparkline } from './sparkline.ts'

describe('sparkline', () => {
  it('draws 0 blank, the smallest value as the lowest bar and the largest as the full one', () => {
    const values = [0, 1, 125, 126, 500, 875, 876, 1_000]
    expect(sparkline(values, { width: 8, length: 8, most: 1_000 })).toBe(' ▁▁▂▄▇██')
  })

  it('shows the largest of the values that share a column: no peak is averaged away', () => {
    const values = [0, 0, 8, 0, 0, 0, 0, 1]
    expect(sparkline(values, { width: 4, length: 8, most: 8 })).toBe(' █ ▁')
  })

  it('gives a shorter curve a shorter line on the same axis', () => {
    expect(sparkline([8, 8], { width: 4, length: 8, most: 8 })).toBe('█')
  })

  it.each([
    { values: [], length: 0, expected: '' },
    { values: [3, 4], length: 2, expected: '▆█' },
    { values: [1, 2, 3], length: 3, expected: '▂▄▆' },
  ])('draws $values as "$expected": no wider than there are values', row => {
    expect(sparkline(row.values, { width: 48, length: row.length, most: 4 })).toBe(row.expected)
  })

  it('shows every value of a length that the width does not divide', () => {
    const values = Array.from({ length: 137 }, (_, index) => (index === 136 ? 8 : 0))
    const line = sparkline(values, { width: 48, length: 137, most: 8 })
    expect(line).toBe(`${' '.repeat(47)}█`)
  })
})
