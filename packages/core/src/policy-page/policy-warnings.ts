import { canAttemptAfter } from '../deadline.ts'
import { DEFAULT_RETRY_POLICY, type ResolvedRetryPolicy } from '../retry-policy.ts'
import type { PolicyFigures } from './describe-policy.ts'
import { formatDuration } from './format-duration.ts'
import { formatCalls, nameLayers, otherLayers } from './other-layers.ts'
import type { RetryWait } from './retry-waits.ts'

/** A setting that hurts, whom, and what to do about it. */
export interface PolicyWarning {
  /** A slug with few values. */
  code:
    | 'no-retries'
    | 'retries-without-end'
    | 'no-jitter'
    | 'nothing-to-draw'
    | 'windows-do-not-grow'
    | 'wait-too-long'
    | 'no-time-for-an-attempt'
    | 'no-time-for-a-retry'
    | 'no-time-for-all-retries'
    | 'no-time-after-a-timeout'
    | 'server-wait-refused'
    | 'server-wait-after-deadline'
    | 'server-wait-not-spread'
    | 'nothing-retried'
    | 'everything-retried'
    | 'classify-threw'
    | 'budget-off'
    | 'budget-empty'
    | 'budget-not-refilled'
    | 'nested'
  /** The option to change, where it is one. */
  option?: keyof ResolvedRetryPolicy | 'budget'
  text: string
}

/** The longest that a person bears to wait at a time, where nothing is said. */
const PATIENCE_MS = 10_000

/** Settings that hurt; those of {@link DEFAULT_RETRY_POLICY} with a budget do not. */
export function policyWarnings(figures: PolicyFigures): PolicyWarning[] {
  return [
    ...retryWarnings(figures),
    ...drawWarnings(figures),
    ...timeWarnings(figures),
    ...serverWaitWarnings(figures),
    ...failureWarnings(figures),
    ...budgetWarnings(figures),
    ...layerWarnings(figures),
  ]
}

function warning(
  isGiven: boolean,
  code: PolicyWarning['code'],
  option: PolicyWarning['option'],
  text: string,
): PolicyWarning[] {
  return isGiven ? [{ code, ...(option && { option }), text }] : []
}

function retryWarnings({ options, attempts }: PolicyFigures): PolicyWarning[] {
  return [
    ...warning(
      options.maxRetries === 0,
      'no-retries',
      'maxRetries',
      'A failure that would have been over a second later reaches the person at once.',
    ),
    ...warning(
      attempts === Infinity,
      'retries-without-end',
      'maxRetries',
      'While the server is down, every client goes on asking, and nobody is told that it has failed. Set maxRetries, or a deadline with a floor.',
    ),
  ]
}

function drawWarnings({ options, waits }: PolicyFigures): PolicyWarning[] {
  const { baseMs, factor, floorMs, jitter, maxRetries } = options
  const pinned = jitter === 'none' ? [] : waits.filter(({ lowMs, highMs }) => lowMs === highMs)
  const [first] = waits
  const isFlat = first && first.lastRetry === maxRetries && maxRetries > 1
  return [
    ...warning(
      jitter === 'none' && maxRetries > 0,
      'no-jitter',
      'jitter',
      'Clients that fail together come back together, each time.',
    ),
    ...warning(
      pinned.length > 0,
      'nothing-to-draw',
      jitter === 'decorrelated' ? 'capMs' : 'floorMs',
      `${formatRetries(pinned)} always after ${formatDuration(pinned[0]?.lowMs ?? 0)}, since ${
        jitter === 'decorrelated' && baseMs > floorMs
          ? 'the cap is at or below the base'
          : 'the window is at or below the floor'
      }: clients that fail together come back together.`,
    ),
    ...warning(
      Boolean(isFlat),
      'windows-do-not-grow',
      factor === 1 && jitter !== 'decorrelated' ? 'factor' : 'capMs',
      'Every retry waits as long as the first: a server that stays overloaded is asked as often as before.',
    ),
  ]
}

function timeWarnings(figures: PolicyFigures): PolicyWarning[] {
  const { options, facts, attempts, roomMs, waits } = figures
  const { attemptTimeoutMs, deadlineMs, maxRetries, minAttemptMs, reserveMs } = options
  const { patienceMs = PATIENCE_MS } = facts
  const longest = waits.findLast(({ lowMs }) => lowMs <= roomMs)
  const longestMs = Math.min(longest?.highMs ?? 0, roomMs)
  const hasRoom = canAttemptAfter(options, 0, 0)
  const [first] = waits
  const hasRetry = first !== undefined && first.lowMs <= roomMs
  const seldom = waits.find((_, index) => meanUpTo(waits, index) > roomMs)
  return [
    ...warning(
      longestMs > patienceMs,
      'wait-too-long',
      'capMs',
      `A single wait may take ${formatDuration(longestMs)}. Few people wait longer than ${formatDuration(patienceMs)} for something that they cannot see.`,
    ),
    ...warning(
      !hasRoom,
      'no-time-for-an-attempt',
      reserveMs >= minAttemptMs ? 'reserveMs' : 'minAttemptMs',
      `The reserve (${formatDuration(reserveMs)}) and the least time for an attempt (${formatDuration(minAttemptMs)}) are longer than the deadline (${formatDuration(deadlineMs)}): nothing is ever retried.`,
    ),
    ...warning(
      hasRoom && first !== undefined && !hasRetry,
      'no-time-for-a-retry',
      'deadlineMs',
      `The shortest draw is ${formatDuration(first?.lowMs ?? 0)} and the deadline leaves ${formatDuration(Math.max(0, roomMs))}: nothing is retried${attempts > 1 ? ', but where the server asks for a shorter wait' : ''}.`,
    ),
    ...warning(
      hasRetry && seldom !== undefined && maxRetries < Infinity,
      'no-time-for-all-retries',
      'deadlineMs',
      `The waits are longer than the deadline leaves: on average retry ${seldom ? firstThatDoesNotFit(waits, seldom, roomMs) : 0} and those after it do not come.`,
    ),
    ...warning(
      hasRetry && !canAttemptAfter(options, attemptTimeoutMs ?? 0, first.lowMs),
      'no-time-after-a-timeout',
      'attemptTimeoutMs',
      `An attempt that times out after ${formatDuration(attemptTimeoutMs ?? 0)} leaves no time for a retry before the deadline.`,
    ),
  ]
}

function serverWaitWarnings({ options, facts, roomMs }: PolicyFigures): PolicyWarning[] {
  const { deadlineMs, maxRetries, maxServerWaitMs, serverWait } = options
  if (maxRetries === 0) return []
  const { retryAfterMs } = facts
  const acceptedMs = Math.min(maxServerWaitMs, roomMs)
  const isAsked = maxServerWaitMs !== DEFAULT_RETRY_POLICY.maxServerWaitMs
  return [
    ...warning(
      maxServerWaitMs < 1_000,
      'server-wait-refused',
      'maxServerWaitMs',
      'Retry-After counts in seconds: a server that asks for the shortest wait ends the operation.',
    ),
    ...warning(
      retryAfterMs !== undefined && retryAfterMs > acceptedMs,
      roomMs < maxServerWaitMs ? 'server-wait-after-deadline' : 'server-wait-refused',
      roomMs < maxServerWaitMs ? 'deadlineMs' : 'maxServerWaitMs',
      `The server asks for ${formatDuration(retryAfterMs ?? 0)}, and waits of up to ${formatDuration(Math.max(0, acceptedMs))} are accepted: every such answer ends the operation.`,
    ),
    ...warning(
      isAsked && maxServerWaitMs < Infinity && maxServerWaitMs > roomMs,
      'server-wait-after-deadline',
      'maxServerWaitMs',
      `It is ${formatDuration(maxServerWaitMs)}, and the deadline (${formatDuration(deadlineMs)}) ends the operation before.`,
    ),
    ...warning(
      serverWait === 'max',
      'server-wait-not-spread',
      'serverWait',
      'Clients that are told the same wait come back together where it is longer than their draws.',
    ),
  ]
}

function failureWarnings({ options, retried }: PolicyFigures): PolicyWarning[] {
  const { isMistakeRetried, isNetworkRetried, isTimeoutRetried, isUnread, statuses } = retried
  const isNothing = statuses.length === 0 && !isNetworkRetried && !isTimeoutRetried
  return [
    ...warning(
      isUnread,
      'classify-threw',
      'classify',
      'It threw when it was shown a failure: such an operation ends without a retry, and what is retried may be more than is said here.',
    ),
    ...warning(
      isNothing && !isUnread && options.maxRetries > 0,
      'nothing-retried',
      'classify',
      'No status, no lost connection and no timeout is retried.',
    ),
    ...warning(
      isMistakeRetried,
      'everything-retried',
      'classify',
      'Programming mistakes are retried as well: the person waits for what cannot succeed.',
    ),
  ]
}

function budgetWarnings({ options, facts }: PolicyFigures): PolicyWarning[] {
  const { budget } = facts
  const given = budget === false ? undefined : budget?.options
  const { capacity = 1, depositPerSuccess = 1, refillPerSecond = 1 } = given ?? {}
  return [
    ...warning(
      budget === false && options.maxRetries > 0,
      'budget-off',
      'budget',
      'Nothing bounds the retries of all operations together: while everything fails, the server gets all of them.',
    ),
    ...warning(
      capacity < 1,
      'budget-empty',
      'budget',
      'Its capacity is less than one retry: none is ever granted.',
    ),
    ...warning(
      depositPerSuccess === 0 && refillPerSecond === 0,
      'budget-not-refilled',
      'budget',
      'What is spent never comes back: after it, nothing is retried for as long as the page lives.',
    ),
  ]
}

function layerWarnings({
  facts,
  options,
  worstCaseCalls,
  attempts,
}: PolicyFigures): PolicyWarning[] {
  const others = otherLayers(facts).filter(({ retries }) => retries > 0)
  return warning(
    others.length > 0 && options.maxRetries > 0,
    'nested',
    undefined,
    `Retries multiply: ${nameLayers(others)} below ${attempts === Infinity ? 'attempts without end' : `${attempts} attempts`} are up to ${formatCalls(worstCaseCalls)} for one operation. Leave them to one layer.`,
  )
}

function formatRetries(waits: readonly RetryWait[]): string {
  const last = waits.at(-1)?.lastRetry ?? 0
  const first = waits[0]?.retry ?? 0
  if (first === last) return `Retry ${first}`
  return last === Infinity ? `Retries ${first} and after` : `Retries ${first} to ${last}`
}

function meanUpTo(waits: readonly RetryWait[], index: number): number {
  return waits
    .slice(0, index + 1)
    .reduce((sum, wait) => sum + (wait.lastRetry - wait.retry + 1) * wait.meanMs, 0)
}

function firstThatDoesNotFit(waits: readonly RetryWait[], wait: RetryWait, roomMs: number): number {
  const beforeMs = meanUpTo(waits, waits.indexOf(wait) - 1)
  return wait.retry + Math.max(0, Math.floor((roomMs - beforeMs) / wait.meanMs))
}
