import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from './clock.ts'
import { RetryBudget } from './retry-budget.ts'
import { type RunOptions, runWithRetry } from './run-with-retry.ts'

/** A real server that is down and counts: all the calls below are counted where they arrive. */
let server: Server
let url: string
let calls = 0
/** Answers 503 as long as it says so; the n-th call is 1. */
let isDown: (call: number) => boolean
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(isDown(++calls) ? 503 : 200).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Every wait is over at once, and no time passes: neither a deadline nor a refill plays a part. */
const instantly: Clock = { nowMs: () => 0, epochMs: () => 0, sleep: async () => {} }

async function call(): Promise<string> {
  const response = await fetch(url)
  const body = await response.text()
  if (!response.ok) throw { status: response.status }
  return body
}

type Operation = () => Promise<unknown>

/** One layer around an operation: so many attempts in all. */
const layer =
  (attempts: number, operation: Operation, options: RunOptions = {}): Operation =>
  () =>
    runWithRetry(operation, { policy: { maxRetries: attempts - 1 }, clock: instantly, ...options })

/** Layers around one call, the outermost first. */
const layers = (...attempts: number[]): Operation =>
  attempts.reduceRight<Operation>((inner, count) => layer(count, inner), call)

/** What the server receives until all of it has ended. */
async function callsOf(operation: Operation, down: typeof isDown = () => true): Promise<number> {
  calls = 0
  isDown = down
  await operation().catch(error => expect(error).toEqual({ status: 503 }))
  return calls
}

/** So many requests, twenty of them at a time, each of which ends by itself. */
const requests = (count: number, request: Operation): Operation => {
  let started = 0
  const work = async () => {
    while (started++ < count) {
      await request().catch(error => expect(error).toEqual({ status: 503 }))
    }
  }
  return () => Promise.all(Array.from({ length: 20 }, work))
}

describe('layers of runWithRetry around a real server, in a full outage', () => {
  it.each([
    [1, 3],
    [2, 9],
    [3, 27],
    [4, 81],
  ])('%i of 3 attempts are %i calls', async (count, expected) => {
    expect(await callsOf(layers(...Array(count).fill(3)))).toBe(expected)
  })

  it('3 x 3 attempts around 5 sub-calls are 45', async () => {
    const five: Operation = () => Promise.all([call(), call(), call(), call(), call()])
    expect(await callsOf(layer(3, layer(3, five)))).toBe(45)
  })

  it('retries in one layer alone are 3 calls, whichever it is', async () => {
    for (const attempts of [
      [3, 1, 1],
      [1, 3, 1],
      [1, 1, 3],
    ]) {
      expect(await callsOf(layers(...attempts))).toBe(3)
    }
  })
})

describe('1,000 requests with 3 attempts each, in a full outage', () => {
  it('are 3,000 calls', async () => {
    expect(await callsOf(requests(1_000, layer(3, call)))).toBe(3_000)
  }, 60_000)

  it('are 1,100 with a shared budget of 100 retries that nothing refills', async () => {
    const budget = new RetryBudget({ capacity: 100, refillPerSecond: 0, clock: instantly })
    expect(await callsOf(requests(1_000, layer(3, call, { budget })))).toBe(1_100)
    expect(budget.available).toBe(0)
  }, 60_000)
})

describe('1,000 requests with 3 attempts each, while every second call fails', () => {
  it('are at most 3,000 calls', async () => {
    const everySecond = (nth: number) => nth % 2 === 0
    const received = await callsOf(requests(1_000, layer(3, call)), everySecond)
    expect(received).toBeGreaterThan(1_000)
    expect(received).toBeLessThanOrEqual(3_000)
  }, 60_000)
})
