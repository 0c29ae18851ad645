import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunBudget, type RunOptions, runWithRetry } from './run-with-retry.ts'

/** The default windows, 50 times as fast: waits of 4 to 160 ms instead of 0.2 to 8 s. */
const FAST: RunOptions['policy'] = { baseMs: 20, floorMs: 4, capMs: 160 }

let close: (() => void) | undefined
afterEach(() => close?.())

/** A dependency that answers 503 while it is down, and says when it was called. */
async function startDependency() {
  const calls: number[] = []
  const state = { isDown: true }
  const server = createServer((_, response) => {
    calls.push(performance.now())
    response.writeHead(state.isDown ? 503 : 200).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  return { url, calls, state }
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

/** A token bucket with the defaults of a retry budget: 60 saved up, one back each second or with ten successes. */
function createBudget(): RunBudget {
  let tokens = 60
  let filledAtMs = performance.now()
  const add = (more: number) => {
    const nowMs = performance.now()
    tokens = Math.min(60, tokens + (nowMs - filledAtMs) / 1_000 + more)
    filledAtMs = nowMs
  }
  return {
    tryWithdraw() {
      add(0)
      const isGranted = tokens >= 1
      if (isGranted) tokens--
      return isGranted
    },
    refund: () => add(1),
    recordSuccess: () => add(0.1),
  }
}

/** Requests that arrive one after the other, `everyMs` apart, and all end. */
async function arrive(count: number, everyMs: number, request: () => Promise<unknown>) {
  const startedAtMs = performance.now()
  const requests: Promise<unknown>[] = []
  while (requests.length < count) {
    const due = Math.min(count, Math.floor((performance.now() - startedAtMs) / everyMs) + 1)
    while (requests.length < due)
      requests.push(
        request().then(
          () => 200,
          error => error.status,
        ),
      )
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  return Promise.all(requests)
}

describe('runWithRetry, 1,000 requests of a BFF during an outage of a real HTTP server', () => {
  it('makes 5,000 calls without a budget', async () => {
    const { url, calls } = await startDependency()
    const statuses = await arrive(1_000, 1, () => callDependency(url, {}))
    expect(new Set(statuses)).toEqual(new Set([503]))
    console.log(`1,000 requests during an outage: ${calls.length} calls without a budget`)
    expect(calls).toHaveLength(5_000)
  }, 30_000)

  it('makes at most 1,200 with one, and every request still ends in the server’s own answer', async () => {
    const { url, calls } = await startDependency()
    const budget = createBudget()
    const statuses = await arrive(1_000, 1, () => callDependency(url, { budget }))
    expect(new Set(statuses)).toEqual(new Set([503]))
    console.log(`1,000 requests during an outage: ${calls.length} calls with a budget`)
    expect(calls.length).toBeGreaterThanOrEqual(1_060)
    expect(calls.length).toBeLessThanOrEqual(1_200)
  }, 30_000)

  it('ends every request at once where the caller gives up, and calls no more', async () => {
    const { url, calls } = await startDependency()
    const controller = new AbortController()
    // Node warns of more than ten listeners, here of 100 runs.
    setMaxListeners(0, controller.signal)
    const policy = { baseMs: 60_000, capMs: 60_000, deadlineMs: Infinity }
    const requests = Array.from({ length: 100 }, () =>
      callDependency(url, { policy, signal: controller.signal }).catch(error => error),
    )
    while (calls.length < 100) await new Promise(resolve => setTimeout(resolve, 5))
    controller.abort('shutting down')
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['shutting down']))
    expect(calls).toHaveLength(100)
  }, 30_000)
})

describe('runWithRetry after an outage of a real HTTP server', () => {
  it('calls it in the first second at most twice as often as usual: 200 requests a second, a budget', async () => {
    const { url, calls, state } = await startDependency()
    const budget = createBudget()
    let recoveredAtMs = Infinity
    setTimeout(() => {
      state.isDown = false
      recoveredAtMs = performance.now()
    }, 1_000)
    // The windows as they are by default: with short ones nobody would be waiting when the outage ends.
    const statuses = await arrive(500, 5, () => callDependency(url, { budget, policy: {} }))
    const firstSecond = calls.filter(atMs => atMs >= recoveredAtMs && atMs < recoveredAtMs + 1_000)
    const answered = statuses.filter(status => status === 200).length
    console.log(`first second after the outage: ${firstSecond.length} calls, 200 are usual`)
    expect(answered).toBeGreaterThan(280)
    expect(firstSecond.length).toBeLessThanOrEqual(400)
  }, 30_000)
})
