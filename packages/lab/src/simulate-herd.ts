import {
  AttemptTimeoutError,
  attemptLimitMs,
  type RetryPolicy,
  type RunBudget,
  timeLeftMs,
} from '@query-retry/core'
import { seededPolicy } from './delay-policy.ts'
import { drawn } from './drawn-duration.ts'
import { EventQueue, type Scheduled } from './event-queue.ts'
import { type HerdOptions, resolveHerdOptions } from './herd-options.ts'
import { HerdRecorder } from './herd-recorder.ts'
import type { HerdResult } from './herd-result.ts'
import { randomStreams } from './random-streams.ts'
import { type Answer, createServer } from './server-model.ts'

/** One operation with its attempts. In the queue it stands for its next attempt, or for the end of this one. */
interface Client extends Scheduled {
  arrivedAtMs: number
  /** An attempt is under way, and the client is in the queue for its answer. */
  isWaiting: boolean
  /** The answer's. It is not kept as an {@link Answer}: a million of these at a time are most of the collector's work. */
  error: unknown
  retryIndex: number
  previousDelayMs: number | undefined
  budget: RunBudget | undefined
}

/**
 * Simulates clients that call one server and retry by one policy, and says what the server had to bear and
 * what became of the clients.
 *
 * It is a discrete-event simulation on virtual time: from one call or answer straight to the next. What is
 * decided is decided by core: `decide` with its deadline and reading of errors, the budgets given. Only
 * the loop around it is the lab's own, without promises; {@link simulateRuns} has core's loop, and a test
 * holds both to the same results.
 *
 * Conventions. Calls of one slot are taken in the order of their time, those of one instant in the order in
 * which they were scheduled. The way to the server takes no time; answers and refusals take `answerMs` from the
 * start of their slot, and a wait begins when its refusal arrives.
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 */
export function simulateHerd(options: HerdOptions): HerdResult {
  const herd = resolveHerdOptions(options)
  const { clients, arrivals, untilMs } = herd
  const random = randomStreams(herd.seed)
  const policy = seededPolicy(herd.policy, random.policy)
  const server = createServer(herd, random.server)
  const recorder = new HerdRecorder(herd)
  const queue = new EventQueue<Client>()
  let nowMs = 0
  const clock = { nowMs: () => nowMs }

  for (let index = 0; index < clients; index++) {
    const arrivedAtMs = drawn('arrivals', arrivals(index, random.arrivals))
    const budget = herd.budget?.({ client: index, clock })
    queue.schedule(newClient(arrivedAtMs, budget), arrivedAtMs)
  }

  for (let client = queue.next(untilMs); client; client = queue.next(untilMs)) {
    nowMs = client.atMs
    const { arrivedAtMs, error } = client
    if (!client.isWaiting) {
      recorder.call(nowMs, client.retryIndex > 0)
      const answer = withinLimit(server.receive(nowMs), policy, nowMs, arrivedAtMs)
      client.isWaiting = true
      client.error = answer.error
      queue.schedule(client, answer.atMs)
      continue
    }
    client.isWaiting = false
    client.error = undefined
    if (error === undefined) {
      client.budget?.recordSuccess()
      recorder.served(arrivedAtMs, nowMs)
      continue
    }
    const decision = policy.decide({
      error,
      retryIndex: client.retryIndex,
      elapsedMs: nowMs - arrivedAtMs,
      previousDelayMs: client.previousDelayMs,
      nowEpochMs: nowMs,
    })
    const isGranted = decision.retry && (client.budget?.tryWithdraw() ?? true)
    if (!decision.retry || !isGranted) {
      recorder.gaveUp(arrivedAtMs, nowMs, decision.retry ? 'budget-exhausted' : decision.reason)
      continue
    }
    client.retryIndex++
    client.previousDelayMs = decision.drawMs
    queue.schedule(client, nowMs + decision.delayMs)
  }
  return recorder.result(arrivalsOf(queue), server.carriedOut)
}

function newClient(arrivedAtMs: number, budget: RunBudget | undefined): Client {
  return {
    atMs: 0,
    arrivedAtMs,
    isWaiting: false,
    error: undefined,
    retryIndex: 0,
    previousDelayMs: undefined,
    budget,
  }
}

/** The answer, or where it comes no earlier than the attempt's limit, what the client has then. */
function withinLimit(
  answer: Answer,
  { options }: RetryPolicy,
  nowMs: number,
  arrivedAtMs: number,
): Answer {
  const limitMs = attemptLimitMs(options, timeLeftMs(options, nowMs - arrivedAtMs))
  if (limitMs === undefined || answer.atMs < nowMs + limitMs) return answer
  return { atMs: nowMs + limitMs, error: new AttemptTimeoutError(limitMs) }
}

/** Of those that are still in the queue: their next attempt or answer would have come too late. */
function* arrivalsOf(queue: EventQueue<Client>): Generator<number> {
  for (let client = queue.next(); client; client = queue.next()) yield client.arrivedAtMs
}
