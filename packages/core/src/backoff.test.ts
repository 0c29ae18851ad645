import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BackoffOptions, createBackoff, type Jitter } from './backoff.ts'

const JITTERS: Jitter[] = ['full', 'equal', 'decorrelated', 'none']
const LONGEST_TIMER_MS = 2 ** 31 - 1

const anyOptions = fc
  .record({
    baseMs: fc.double({ min: 1, max: 1e6, noNaN: true }),
    floorMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    roomMs: fc.integer({ min: 1, max: 1e6 }),
    factor: fc.double({ min: 1, max: 1e6, noNaN: true }),
    jitter: fc.constantFrom(...JITTERS),
    draw: fc.oneof(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.constantFrom(1, -1, NaN, Infinity, -Infinity),
    ),
  })
  .map(({ draw, roomMs, ...rest }): BackoffOptions & { floorMs: number; capMs: number } => ({
    ...rest,
    capMs: rest.floorMs + roomMs,
    random: () => draw,
  }))

describe('createBackoff', () => {
  it('doubles the window from 500 ms up to the cap: 0.5, 1, 2, 4, 8, 16, 30, 30 s', () => {
    const backoff = createBackoff({ baseMs: 500, capMs: 30_000, floorMs: 0, jitter: 'none' })
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(index => backoff(index))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ])
  })

  it('draws 200 ms with full jitter, base 100, retry index 2 and random 0.5', () => {
    expect(createBackoff({ baseMs: 100, floorMs: 0, random: () => 0.5 })(2)).toBe(200)
  })

  it('stays below the cap of 30 s at retry index 20 with random 0.999', () => {
    const backoff = createBackoff({ baseMs: 500, capMs: 30_000, random: () => 0.999 })
    expect(backoff(20)).toBeLessThan(30_000)
    expect(backoff(20)).toBeGreaterThan(29_900)
  })

  it.each<{ jitter: Jitter; previousMs?: number; lowest: number; highest: number }>([
    { jitter: 'full', lowest: 200, highest: 4_000 },
    { jitter: 'equal', lowest: 2_000, highest: 4_000 },
    { jitter: 'decorrelated', lowest: 1_000, highest: 3_000 },
    { jitter: 'decorrelated', previousMs: 2_500, lowest: 1_000, highest: 7_500 },
    { jitter: 'decorrelated', previousMs: 7_000, lowest: 1_000, highest: 8_000 },
    { jitter: 'none', lowest: 4_000, highest: 4_000 },
  ])(
    'draws $jitter jitter after $previousMs from $lowest to $highest ms at index 2',
    ({ jitter, previousMs, lowest, highest }) => {
      expect(createBackoff({ jitter, random: () => 0 })(2, previousMs)).toBe(lowest)
      expect(createBackoff({ jitter, random: () => 0.999_999 })(2, previousMs)).toBe(highest)
    },
  )

  it.each<{ jitter: Jitter; floorMs: number; lowest: number }>([
    { jitter: 'full', floorMs: 900, lowest: 900 },
    { jitter: 'equal', floorMs: 900, lowest: 900 },
    { jitter: 'decorrelated', floorMs: 1_500, lowest: 1_500 },
    { jitter: 'none', floorMs: 1_500, lowest: 1_500 },
  ])(
    'starts the $jitter interval at a floor of $floorMs ms above its own start',
    ({ jitter, floorMs, lowest }) => {
      expect(createBackoff({ jitter, floorMs, random: () => 0 })(0)).toBe(lowest)
    },
  )

  it('waits exactly the floor while the window is shorter than it', () => {
    const backoff = createBackoff({ baseMs: 10, floorMs: 200, random: () => 0.7 })
    expect(backoff(0)).toBe(200)
  })

  it('does not wait below a fractional floor of 200.5 ms while the window is shorter', () => {
    for (const jitter of JITTERS)
      expect(createBackoff({ baseMs: 1, floorMs: 200.5, jitter })(0)).toBe(201)
  })

  it('starts equal jitter at half of a fractional window, 401 of 800.9 ms', () => {
    const backoff = createBackoff({ baseMs: 800.9, jitter: 'equal', random: () => 0 })
    expect(backoff(0)).toBe(401)
  })

  it('does not give NaN at index Infinity with a factor of 1', () => {
    expect(createBackoff({ factor: 1, jitter: 'none' })(Infinity)).toBe(1_000)
  })

  it('keeps every delay a whole number in [floor, cap], for any options, index and source', () => {
    const index = fc.oneof(fc.nat(1_025), fc.double())
    const previous = fc.oneof(fc.constant(undefined), fc.double())
    fc.assert(
      fc.property(anyOptions, index, previous, (options, retryIndex, previousMs) => {
        const delayMs = createBackoff(options)(retryIndex, previousMs)
        expect(Number.isInteger(delayMs)).toBe(true)
        expect(delayMs).toBeGreaterThanOrEqual(options.floorMs)
        expect(delayMs).toBeLessThanOrEqual(options.capMs)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(JITTERS)('keeps %s jitter finite up to index 1,025, fed with its own draws', jitter => {
    for (const value of [0, 0.5, 0.999_999, 1, NaN, -1, Infinity]) {
      const backoff = createBackoff({ jitter, random: () => value })
      let previousMs: number | undefined
      for (let index = 0; index <= 1_025; index++) {
        previousMs = backoff(index, previousMs)
        expect(Number.isInteger(previousMs)).toBe(true)
        expect(previousMs).toBeGreaterThanOrEqual(200)
        expect(previousMs).toBeLessThanOrEqual(8_000)
      }
    }
  })

  it.each(JITTERS)('treats NaN and negative indexes as 0 with %s jitter', jitter => {
    const backoff = createBackoff({ jitter, random: () => 0.5 })
    for (const index of [NaN, -1, -0.5, -Infinity]) expect(backoff(index)).toBe(backoff(0))
  })

  it.each([
    { previousMs: NaN, highest: 3_000 },
    { previousMs: 0, highest: 3_000 },
    { previousMs: Infinity, highest: 8_000 },
    { previousMs: -5, highest: 200 },
  ])(
    'draws at most $highest ms after a previous draw of $previousMs',
    ({ previousMs, highest }) => {
      const backoff = createBackoff({ jitter: 'decorrelated', random: () => 0.999_999 })
      expect(backoff(1, previousMs)).toBe(highest)
    },
  )

  it('takes the longest timer, 2^31 - 1 ms, as cap and never goes beyond it', () => {
    const backoff = createBackoff({
      baseMs: LONGEST_TIMER_MS,
      capMs: LONGEST_TIMER_MS,
      random: () => 0.999_999_999_9,
    })
    expect(backoff(1_025)).toBe(LONGEST_TIMER_MS)
  })

  it('takes a default for an option given as undefined', () => {
    const backoff = createBackoff({ baseMs: undefined, floorMs: undefined, random: () => 0 })
    expect(backoff(0)).toBe(200)
  })

  it('does not write to its options', () => {
    const options = Object.freeze<BackoffOptions>({ baseMs: 500, random: () => 0.5 })
    expect(() => createBackoff(options)(1)).not.toThrow()
  })
})
