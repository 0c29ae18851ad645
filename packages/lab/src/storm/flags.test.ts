import { describe, expect, it } from 'vitest'
import { readDuration, readNumber } from './flags.ts'

describe('readNumber', () => {
  it.each([
    ['4200', 4_200],
    ['0.5', 0.5],
    ['1e3', 1_000],
    [undefined, undefined],
  ])('reads %j as %j', (value, expected) => {
    expect(readNumber('--capacity', value, [0, 1e9])).toBe(expected)
  })

  it.each(['', ' ', 'many', '-1', 'NaN', 'Infinity', '0x', '1,5'])(
    'refuses %j, naming flag, value and range',
    value => {
      expect(() => readNumber('--capacity', value, [0, 1e9])).toThrow(
        `--capacity ${value}: must be a number from 0 to 1000000000`,
      )
    },
  )

  it('refuses a fraction where whole numbers are wanted', () => {
    expect(() => readNumber('--clients', '1.5', [1, 10, 'whole '])).toThrow(
      '--clients 1.5: must be a whole number from 1 to 10',
    )
  })
})

describe('readDuration', () => {
  it.each([
    ['0', 0],
    ['500', 500],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['60s', 60_000],
    ['2m', 120_000],
    [undefined, undefined],
  ])('reads %j as %j ms', (value, expected) => {
    expect(readDuration('--outage', value)).toBe(expected)
  })

  it.each(['', '-1', '-1s', '5 s', '5h', 'soon', 'Infinity', '9999999m'])(
    'refuses %j, naming flag, value and what is accepted',
    value => {
      expect(() => readDuration('--outage', value)).toThrow(
        `--outage ${value}: must be milliseconds from 0 to 2147483647, or a time such as 500ms, 60s or 2m`,
      )
    },
  )

  it('refuses what is shorter than the shortest', () => {
    expect(() => readDuration('--slot', '0', 1)).toThrow('must be milliseconds from 1 to')
  })
})
