import type { PolicyFigures } from './describe-policy.ts'
import { formatDuration, formatEstimate } from './format-duration.ts'
import { formatCalls, nameLayers, otherLayers } from './other-layers.ts'
import type { RetriedFailures } from './retried-failures.ts'

/** One line of the page. */
export interface PolicyRow {
  topic:
    | 'operation'
    | 'why-repeatable'
    | 'id'
    | 'look-up'
    | 'retried'
    | 'not-retried'
    | 'attempts'
    | 'layer'
    | 'deadline'
    | 'attempt-timeout'
    | 'reserve'
    | 'backoff'
    | 'retry-after'
    | 'waits'
    | 'budget'
    | 'concurrency'
    | 'breaker'
    | 'cancellation'
    | 'unknown-outcome'
    | 'notes'
  title: string
  /** What holds; where {@link PolicyRow.isOpen} is set, what the team has to say. */
  text: string
  /** The settings do not say it: to be filled in. */
  isOpen: boolean
}

/** The one-page policy, in the order in which it is read. */
export function policyRows(figures: PolicyFigures): PolicyRow[] {
  const { facts } = figures
  const says = (topic: PolicyRow['topic'], title: string, text: string): PolicyRow => ({
    topic,
    title,
    text,
    isOpen: false,
  })
  const asks = (
    topic: PolicyRow['topic'],
    title: string,
    given: string | undefined,
    question: string,
  ): PolicyRow => ({ topic, title, text: given ?? question, isOpen: given === undefined })
  const { notes = [] } = facts
  return [
    asks('operation', 'Operation and API', facts.operation, 'what is sent, and to which API'),
    asks(
      'why-repeatable',
      'Why repeating is safe',
      whyRepeatable(figures),
      'why sending it twice does no harm',
    ),
    asks(
      'id',
      'Id, its scope and retention',
      facts.id,
      'for whom it is unique, and how long the server keeps it',
    ),
    asks(
      'look-up',
      'Where a result is looked up',
      facts.lookUp,
      'where to ask what became of a request without an answer',
    ),
    says('retried', 'Retried', retriedText(figures.retried)),
    says('not-retried', 'Not retried', notRetriedText(figures)),
    says('attempts', 'Attempts', attemptsText(figures)),
    asks('layer', 'Layer in charge', facts.layer, 'which layer retries, so that no other does'),
    says('deadline', 'Deadline', deadlineText(figures)),
    says('attempt-timeout', 'Attempt timeout', attemptTimeoutText(figures)),
    says('reserve', 'Least time for an attempt, reserve', reserveText(figures)),
    says('backoff', 'Backoff', backoffText(figures)),
    says('retry-after', 'Retry-After', retryAfterText(figures)),
    says('waits', 'Waits in all', waitsText(figures)),
    asks(
      'budget',
      'Retry budget',
      budgetText(figures),
      'what bounds the retries of all operations together',
    ),
    asks(
      'concurrency',
      'Concurrency limit',
      facts.concurrency,
      'what limits how many are under way at a time (these settings do not)',
    ),
    asks(
      'breaker',
      'Circuit breaker',
      breakerText(figures),
      'whether one stops the calls while the dependency fails',
    ),
    says('cancellation', 'Cancellation', facts.cancellation ?? SIGNAL),
    asks(
      'unknown-outcome',
      'What the person sees while the outcome is unknown',
      facts.unknownOutcome,
      'what is said, and what can be done, when no answer came',
    ),
    ...(notes.length > 0 ? [says('notes', 'Besides', notes.join(' '))] : []),
  ]
}

const SIGNAL =
  "The caller's signal ends the wait at once and reaches the attempt through its own. Nothing more is sent, and a retry that was granted goes back to the budget."

function whyRepeatable({ facts }: PolicyFigures): string | undefined {
  const { isRepeatable, whyRepeatable: why } = facts
  if (why !== undefined || isRepeatable !== false) return why
  return 'It is not. Sent again is only what certainly did not happen.'
}

function retriedText(retried: RetriedFailures): string {
  const { statuses, isNetworkRetried, isTimeoutRetried, isMistakeRetried, canServerAllow } = retried
  const kinds = [
    ...(statuses.length > 0 ? [`HTTP ${formatStatuses(statuses)}`] : []),
    ...(isNetworkRetried ? ['lost connections'] : []),
    ...(isTimeoutRetried ? ['attempt timeouts'] : []),
    ...(isMistakeRetried ? ['errors that say nothing of a request'] : []),
    ...(canServerAllow ? ['what the server says to (x-should-retry: true)'] : []),
  ]
  return `${listed(kinds) || 'Nothing'}.`
}

function notRetriedText({ retried, facts }: PolicyFigures): string {
  const { statuses, isNetworkRetried, isTimeoutRetried, isMistakeRetried, canServerForbid } =
    retried
  const kinds = [
    ...(statuses.length < 200 ? [statuses.length > 0 ? 'Every other status' : 'Any status'] : []),
    ...(isNetworkRetried ? [] : ['lost connections']),
    ...(isTimeoutRetried ? [] : ['attempt timeouts']),
    ...(isMistakeRetried ? [] : ['programming mistakes']),
    'cancelled requests',
    ...(canServerForbid ? ['what the server says not to (x-should-retry: false)'] : []),
    ...(facts.isRepeatable === false ? ['whatever may have taken effect'] : []),
  ]
  return `${listed(kinds)}.`
}

function attemptsText({ options, attempts, worstCaseCalls, facts }: PolicyFigures): string {
  const { maxRetries } = options
  const others = otherLayers(facts)
  return [
    maxRetries === Infinity
      ? 'Without limit: the first, and as many retries as the time allows.'
      : `${1 + maxRetries} in all: the first, and ${maxRetries} ${maxRetries === 1 ? 'retry' : 'retries'}.`,
    ...(attempts < 1 + maxRetries ? [`The deadline leaves time for ${attempts} at most.`] : []),
    ...(others.length > 0
      ? [
          `Below, others retry as well (${nameLayers(others)}): one operation may come to ${formatCalls(worstCaseCalls)}.`,
        ]
      : []),
  ].join(' ')
}

function deadlineText({ options }: PolicyFigures): string {
  const { deadlineMs } = options
  if (deadlineMs === Infinity) return 'None: the number of attempts alone ends an operation.'
  return `${formatDuration(deadlineMs)} from the first attempt's start, for attempts and waits together. It stops new attempts and waits; an attempt that is under way goes on.`
}

function attemptTimeoutText({ options, longestMs }: PolicyFigures): string {
  const { attemptTimeoutMs, deadlineMs } = options
  if (attemptTimeoutMs === undefined) return 'None: an attempt may take as long as it takes.'
  const less = deadlineMs === Infinity ? '' : ', or what the deadline leaves'
  return `${formatDuration(attemptTimeoutMs)}${less}. An operation ends after ${formatDuration(longestMs)} at the latest.`
}

function reserveText({ options }: PolicyFigures): string {
  const { minAttemptMs, reserveMs } = options
  const least =
    minAttemptMs > 0
      ? `No retry starts with less than ${formatDuration(minAttemptMs)} left`
      : 'A retry may start until the last moment'
  const kept =
    reserveMs > 0
      ? `${formatDuration(reserveMs)} before the deadline are kept free`
      : 'nothing is kept free before the deadline'
  return `${least}; ${kept}.`
}

const DRAWN = {
  full: 'anywhere between the floor and the window (full jitter)',
  equal: 'in the upper half of the window (equal jitter)',
  decorrelated: 'between the base and three times the draw before (decorrelated jitter)',
  none: 'the window itself (no jitter)',
}

function backoffText({ options, waits }: PolicyFigures): string {
  const { baseMs, capMs, factor, floorMs, jitter } = options
  const grows = jitter === 'decorrelated' ? '' : ` and grow by a factor of ${factor}`
  const longestMs = waits.at(-1)?.highMs ?? 0
  const isReached = longestMs >= Math.floor(capMs)
  const cap = `${formatDuration(capMs)}${isReached ? '' : ', which no retry gets to'}`
  return `Windows begin with ${formatDuration(baseMs)}${grows}, up to the cap of ${cap}. A wait is drawn ${DRAWN[jitter]}, and never shorter than the floor of ${formatDuration(floorMs)}.`
}

function retryAfterText({ options, roomMs }: PolicyFigures): string {
  const { jitter, maxServerWaitMs, serverWait } = options
  const acceptedMs = Math.max(0, Math.min(maxServerWaitMs, roomMs))
  if (acceptedMs < 1) return 'A server that asks for any wait ends the operation.'
  const top = {
    max: 'The longer of it and the draw counts.',
    none: 'The window comes on top.',
    add: 'After a 5xx a spread that grows with it comes on top, after a 408 or 429 the ordinary draw.',
  }[serverWait === 'max' ? 'max' : jitter === 'none' ? 'none' : 'add']
  const most =
    acceptedMs === Infinity
      ? 'However long it is, it is waited for.'
      : `A server that asks for more than ${formatDuration(acceptedMs)}, or than the time left, ends the operation.`
  return `Never shortened. ${top} ${most}`
}

function waitsText(figures: PolicyFigures): string {
  const {
    expectedWaitMs,
    isCutByDeadline: isCut,
    options,
    waits,
    worstServerWaitMs,
    worstWaitMs,
  } = figures
  if (waits.length === 0) return 'None.'
  const most = (ms: number) => (ms === Infinity ? 'without limit' : `at most ${formatDuration(ms)}`)
  const average =
    expectedWaitMs === Infinity
      ? 'without end on average'
      : `${isCut ? 'about ' : ''}${formatEstimate(expectedWaitMs)} on average${isCut ? ', cut by the deadline' : ''}`
  const asked =
    options.maxServerWaitMs >= 1
      ? ` Where the server asks for waits, ${most(worstServerWaitMs)}.`
      : ''
  return `While everything fails at once, ${average}, and ${most(worstWaitMs)}.${asked}`
}

const EVERYTHING = 'everything that is given the same one'

function budgetText({ facts }: PolicyFigures): string | undefined {
  const { budget, scope = EVERYTHING } = facts
  if (budget === undefined) return undefined
  if (budget === false) return 'None: however many operations fail, each has all its retries.'
  if (!budget.options) return `Its own, shared by ${scope}.`
  const { capacity = 0, depositPerSuccess = 0, refillPerSecond = 0 } = budget.options
  const perMinute = Math.floor(refillPerSecond * 60)
  const deposit =
    depositPerSuccess > 0 ? `, one with every ${rounded(1 / depositPerSuccess)} successes` : ''
  return `${rounded(capacity)} retries saved up, ${rounded(refillPerSecond)} more each second${deposit}; shared by ${scope}. In an outage that is ${rounded(Math.floor(capacity + refillPerSecond * 60))} retries in the first minute and ${perMinute} in each after it.`
}

function breakerText({ facts, roomMs }: PolicyFigures): string | undefined {
  const { breaker, scope = EVERYTHING } = facts
  if (breaker === undefined) return undefined
  if (breaker === false) return 'None.'
  const fits =
    roomMs === Infinity
      ? 'however late it is'
      : `where that is within ${formatDuration(Math.max(0, roomMs))}`
  return `One for ${scope}. While it is open nothing is sent: an operation waits for its probe, ${fits}, which uses up no retry, or ends (circuit-open).`
}

function formatStatuses(statuses: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const status of statuses) {
    const run = runs.at(-1)
    if (run?.[1] === status - 1) run[1] = status
    else runs.push([status, status])
  }
  return runs
    .flatMap(([first, last]) => {
      if (first === last) return [`${first}`]
      return last - first < 3
        ? Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`)
        : [`${first} to ${last}`]
    })
    .join(', ')
}

function listed(items: readonly string[]): string {
  return items.join('; ')
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}
