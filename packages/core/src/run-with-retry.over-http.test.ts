import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { RetryBudget } from './retry-budget.ts'
import { type RunOptions, runWithRetry } from './run-with-retry.ts'

/** The default windows, 50 times as fast: waits of 4 to 160 ms instead of 0.2 to 8 s. */
const FAST: RunOptions['policy'] = { baseMs: 20, floorMs: 4, capMs: 160 }

let close: (() => void) | undefined
afterEach(() => close?.())

/** A dependency that answers 503 while it is down, and counts its calls. */
async function startDependency() {
  const dependency = { url: '', isDown: true, calls: 0 }
  const server = createServer((_, response) => {
    dependency.calls++
    response.writeHead(dependency.isDown ? 503 : 200).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  dependency.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  return dependency
}

/** What a BFF does for each of its own requests. */
function callDependency(url: string, options: RunOptions) {
  return runWithRetry(
    async ({ signal }) => {
      const response = await fetch(url, { signal })
      const body = await response.text()
      if (!response.ok) throw { status: response.status, headers: response.headers }
      return body
    },
    { policy: FAST, ...options },
  )
}

/**
 * Requests that arrive one after the other, `everyMs` apart, and all end. A machine that is late catches up: what
 * is asked about an arrival is counted in arrivals, not in time.
 */
async function arrive(
  count: number,
  everyMs: number,
  request: () => Promise<unknown>,
  onArrival = (_number: number) => {},
) {
  const startedAtMs = performance.now()
  const requests: Promise<unknown>[] = []
  while (requests.length < count) {
    const due = Math.min(count, Math.floor((performance.now() - startedAtMs) / everyMs) + 1)
    while (requests.length < due) {
      onArrival(requests.length + 1)
      requests.push(
        request().then(
          () => 200,
          error => error.status,
        ),
      )
    }
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  return Promise.all(requests)
}

describe('runWithRetry, 1,000 requests of a BFF during an outage of a real HTTP server', () => {
  it('makes 5,000 calls without a budget', async () => {
    const dependency = await startDependency()
    const statuses = await arrive(1_000, 1, () => callDependency(dependency.url, {}))
    expect(new Set(statuses)).toEqual(new Set([503]))
    console.log(`1,000 requests during an outage: ${dependency.calls} calls without a budget`)
    expect(dependency.calls).toBe(5_000)
  }, 30_000)

  it('makes at most 1,200 with one, and every request still ends in the server’s own answer', async () => {
    const dependency = await startDependency()
    const budget = new RetryBudget()
    const statuses = await arrive(1_000, 1, () => callDependency(dependency.url, { budget }))
    expect(new Set(statuses)).toEqual(new Set([503]))
    console.log(`1,000 requests during an outage: ${dependency.calls} calls with a budget`)
    expect(dependency.calls).toBeGreaterThanOrEqual(1_060)
    expect(dependency.calls).toBeLessThanOrEqual(1_200)
  }, 30_000)

  it('ends every request at once where the caller gives up, and calls no more', async () => {
    const dependency = await startDependency()
    const controller = new AbortController()
    // Node warns of more than ten listeners, here of 100 runs.
    setMaxListeners(0, controller.signal)
    const policy = { jitter: 'none', baseMs: 60_000, capMs: 60_000, deadlineMs: Infinity } as const
    const requests = Array.from({ length: 100 }, () =>
      callDependency(dependency.url, { policy, signal: controller.signal }).catch(error => error),
    )
    while (dependency.calls < 100) await new Promise(resolve => setTimeout(resolve, 5))
    controller.abort('shutting down')
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['shutting down']))
    expect(dependency.calls).toBe(100)
  }, 30_000)
})

describe('runWithRetry after an outage of a real HTTP server', () => {
  const PER_SECOND = 200

  /** Calls that the server gets in the second in which 200 requests arrive after an outage of 4 s: 440 to 710 without a budget. */
  async function callsOfFirstSecond(options: RunOptions) {
    const dependency = await startDependency()
    const marks: number[] = []
    // The windows as they are by default: with short ones nobody would be waiting when the outage ends.
    const request = () => callDependency(dependency.url, { policy: {}, ...options })
    const statuses = await arrive(6 * PER_SECOND, 1_000 / PER_SECOND, request, number => {
      if (number === 4 * PER_SECOND) dependency.isDown = false
      if (number === 4 * PER_SECOND || number === 5 * PER_SECOND) marks.push(dependency.calls)
    })
    const [recovery = NaN, secondLater = NaN] = marks
    return { firstSecond: secondLater - recovery, statuses }
  }

  it('calls it in the first second at most twice as often as usual: 200 requests a second, a budget', async () => {
    const { firstSecond, statuses } = await callsOfFirstSecond({ budget: new RetryBudget() })
    console.log(`first second after the outage: ${firstSecond} calls, 200 are usual`)
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(2 * PER_SECOND)
    expect(firstSecond).toBeLessThanOrEqual(2 * PER_SECOND)
  }, 30_000)
})
