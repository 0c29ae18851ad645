import {
  type Random,
  RetryOptionError,
  type RunBreaker,
  type RunStopReason,
  runWithRetry,
} from '@query-retry/core'
import { seededPolicy } from './delay-policy.ts'
import { drawn } from './drawn-duration.ts'
import { type ClientScope, type HerdOptions, resolveHerdOptions } from './herd-options.ts'
import { HerdRecorder } from './herd-recorder.ts'
import type { HerdResult } from './herd-result.ts'
import { randomStreams } from './random-streams.ts'
import { createServer } from './server-model.ts'
import { VirtualClock } from './virtual-clock.ts'

/** For whom a breaker is asked, with what it needs from the simulation. */
export interface BreakerScope extends ClientScope {
  /** For the breaker's jitter: with `Math.random` a seed would not repeat the simulation. */
  random: Random
}

export interface RunsOptions extends HerdOptions {
  /** The circuit breaker of each client; give several the same to have them share it. Default none. */
  circuitBreaker?: (scope: BreakerScope) => RunBreaker
}

/**
 * {@link simulateHerd} with core's `runWithRetry` around every operation, and so with circuit breakers.
 *
 * What it costs: promises. It takes several times as long, and some kilobytes for each client at work: for
 * tens of thousands, not for a million.
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 */
export async function simulateRuns(options: RunsOptions): Promise<HerdResult> {
  const herd = resolveHerdOptions(options)
  const random = randomStreams(herd.seed)
  const policy = seededPolicy(herd.policy, random.policy)
  const server = createServer(herd, random.server)
  const recorder = new HerdRecorder(herd)
  const clock = new VirtualClock()
  /** When each client arrived that has not ended. */
  const open = new Map<number, number>()

  async function run(client: number, arrivedAtMs: number): Promise<void> {
    const scope = { client, clock }
    const budget = herd.budget?.(scope)
    const breaker = options.circuitBreaker?.({ ...scope, random: random.breakers })
    let stopReason: RunStopReason | undefined
    await clock.sleepUntil(arrivedAtMs)
    try {
      await runWithRetry(
        async ({ attempt, signal }) => {
          recorder.call(clock.nowMs(), attempt > 1)
          const answer = server.receive(clock.nowMs())
          await clock.sleepUntil(answer.atMs, signal)
          if (answer.error !== undefined) throw answer.error
        },
        {
          policy,
          budget,
          breaker,
          clock,
          onEvent: event => {
            if (event.type === 'gave-up') stopReason = event.stopReason
          },
        },
      )
      recorder.served(arrivedAtMs, clock.nowMs())
    } catch (error) {
      // Not the server's, but a wrong option that was noticed on the way.
      if (error instanceof RetryOptionError || !stopReason) throw error
      recorder.gaveUp(arrivedAtMs, clock.nowMs(), stopReason)
    }
    open.delete(client)
  }

  const runs = Array.from({ length: herd.clients }, (_, client) => {
    const arrivedAtMs = drawn('arrivals', herd.arrivals(client, random.arrivals))
    open.set(client, arrivedAtMs)
    return run(client, arrivedAtMs)
  })
  await Promise.race([Promise.all(runs), clock.runUntil(herd.untilMs)])
  return recorder.result(open.values(), server.carriedOut)
}
