import { getEventListeners, setMaxListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from './clock.ts'
import { AttemptTimeoutError } from './errors.ts'
import { type Attempt, type RunOptions, runWithRetry } from './run-with-retry.ts'

const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
const LONG: RunOptions['policy'] = { baseMs: 3_600_000, capMs: 3_600_000, deadlineMs: Infinity }
const SHORT: RunOptions['policy'] = { baseMs: 1, floorMs: 0, maxRetries: 3 }
const unavailable = () => Promise.reject({ status: 503 })
const hang = () => new Promise<never>(() => {})

/** Timers and listeners on the caller's signal, now and once the run has ended. */
async function observe(
  operation: (attempt: Attempt) => unknown,
  options: RunOptions,
  abort?: unknown,
) {
  const controller = new AbortController()
  const { signal } = controller
  const before = timers()
  const held = () => ({
    // One of the test runner's own may have ended meanwhile.
    timers: Math.max(0, timers() - before),
    listeners: getEventListeners(signal, 'abort').length,
  })
  const ended = runWithRetry(operation, { ...options, signal }).then(
    value => ({ value }),
    error => ({ error }),
  )
  // The first attempt has begun or failed, and what follows it has begun.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  const during = held()
  if (abort) controller.abort(abort)
  const ending = await ended
  return { during, after: held(), ...ending }
}

const NOTHING = { timers: 0, listeners: 0 }

describe('runWithRetry, on the machine’s own clock', () => {
  const reason = new Error('left the page')

  it.each<[string, (attempt: Attempt) => unknown, RunOptions, object]>([
    ['the wait', unavailable, { policy: LONG }, { timers: 1, listeners: 1 }],
    ['an attempt', hang, {}, { timers: 0, listeners: 1 }],
    [
      'an attempt with a limit of an hour',
      hang,
      { policy: { attemptTimeoutMs: 3_600_000, deadlineMs: Infinity } },
      { timers: 1, listeners: 1 },
    ],
  ])(
    'holds no timer and no listener once it is cancelled during %s',
    async (_, operation, options, during) => {
      const observed = await observe(operation, options, reason)
      expect(observed).toEqual({ during, after: NOTHING, error: reason })
    },
  )

  it.each<[string, (attempt: Attempt) => unknown, RunOptions, object]>([
    ['an answer', () => 'answer', {}, { value: 'answer' }],
    [
      'an answer well within the limit',
      () => 'answer',
      { policy: { attemptTimeoutMs: 3_600_000, deadlineMs: Infinity } },
      { value: 'answer' },
    ],
    [
      'an answer to the third attempt',
      ({ attempt }) => (attempt < 3 ? unavailable() : 'answer'),
      { policy: SHORT },
      { value: 'answer' },
    ],
    ['the last failure', unavailable, { policy: SHORT }, { error: { status: 503 } }],
    [
      'a limit that the attempt ignores',
      hang,
      { policy: { ...SHORT, attemptTimeoutMs: 1, maxRetries: 1 } },
      { error: new AttemptTimeoutError(1) },
    ],
  ])('holds no timer and no listener after %s', async (_, operation, options, ending) => {
    const { after, ...observed } = await observe(operation, options)
    expect(observed).toMatchObject(ending)
    expect(after).toEqual(NOTHING)
  })

  it('leaves no listener on a signal made by hand, which knows no listener options', async () => {
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      throwIfAborted: () => {},
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    } as unknown as AbortSignal
    await expect(runWithRetry(unavailable, { policy: SHORT, signal })).rejects.toEqual({
      status: 503,
    })
    expect(listeners.size).toBe(0)
  })

  it('starts neither where it is cancelled before', async () => {
    const before = timers()
    const signal = AbortSignal.abort(reason)
    const run = runWithRetry(hang, { policy: LONG, signal })
    expect(timers()).toBeLessThanOrEqual(before)
    await expect(run).rejects.toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('runWithRetry, 100,000 operations that fail', () => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')

  async function heapBytes(): Promise<number> {
    // What has settled lets go one turn later.
    await new Promise(setImmediate)
    gc()
    gc()
    return process.memoryUsage().heapUsed
  }

  it('leave the heap as it was, under one signal, one budget and one policy', async () => {
    const { signal } = new AbortController()
    // Node warns of more than ten listeners, here 100 runs at a time.
    setMaxListeners(0, signal)
    const clock: Clock = { ...systemClock, sleep: async () => {} }
    const budget = { tryWithdraw: () => true, refund() {}, recordSuccess() {} }
    let attempts = 0
    const run = (n: number) =>
      runWithRetry(
        () => {
          attempts++
          throw { status: 503, n }
        },
        { signal, clock, budget, policy: { maxRetries: 1 } },
      ).catch(() => {})
    const runMany = async (count: number) => {
      for (let n = 0; n < count; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, index) => run(n + index)))
      }
    }
    await runMany(10_000)
    const before = await heapBytes()
    await runMany(100_000)
    const growth = (await heapBytes()) - before
    expect(attempts).toBe(220_000)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    console.log(`heap after 100,000 failing operations: ${(growth / 1_024).toFixed(0)} kB more`)
    // One that kept 10 bytes of each would be found out.
    expect(growth).toBeLessThan(1_000_000)
  }, 60_000)
})
