import { describe, expect, it } from 'vitest'
import { formatDuration, formatEstimate } from './format-duration.ts'

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [200, '200 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_250, '1.25 s'],
    [30_000, '30 s'],
    [119_999, '119.999 s'],
    [120_000, '2 min'],
    [300_000, '5 min'],
    [72_000_000, '20 h'],
    [1_296_000_000, '15 days'],
    [Infinity, 'no limit'],
  ])('says %d as %s', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected)
  })
})

describe('formatEstimate', () => {
  it.each([
    [0, '0 ms'],
    [600.5, '601 ms'],
    [4_076.27, '4.08 s'],
    [29_600.2, '29.6 s'],
    [Infinity, 'no limit'],
  ])('says %d as %s', (ms, expected) => {
    expect(formatEstimate(ms)).toBe(expected)
  })
})
