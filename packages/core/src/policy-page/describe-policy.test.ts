import { describe, expect, it } from 'vitest'
import { classifyFailure } from '../classify-failure.ts'
import { RetryOptionError } from '../errors.ts'
import { RetryBudget } from '../retry-budget.ts'
import { createRetryPolicy, type RetryPolicyOptions } from '../retry-policy.ts'
import { manualClock } from '../testing/index.ts'
import { describePolicy, type PolicyFacts } from './describe-policy.ts'
import type { PolicyRow } from './policy-rows.ts'

const BUDGETED: PolicyFacts = { budget: new RetryBudget() }

function codes(options: RetryPolicyOptions, facts: PolicyFacts = BUDGETED): string[] {
  return describePolicy(options, facts).warnings.map(({ code }) => code)
}

function row(topic: PolicyRow['topic'], options: RetryPolicyOptions = {}, facts?: PolicyFacts) {
  return describePolicy(options, facts).rows.find(candidate => candidate.topic === topic)
}

const textOf = (...args: Parameters<typeof row>) => row(...args)?.text ?? ''

describe('describePolicy', () => {
  it('counts 5 attempts and calls by default, 7.9 s of waits on average and 15 s at most', () => {
    expect(describePolicy({})).toMatchObject({
      attempts: 5,
      worstCaseCalls: 5,
      expectedWaitMs: 7_900,
      worstWaitMs: 15_000,
      worstServerWaitMs: 30_000,
      longestMs: Infinity,
    })
  })

  it('says the same of a policy as of what it was built from', () => {
    const options: RetryPolicyOptions = { maxRetries: 2, jitter: 'equal', attemptTimeoutMs: 3_000 }
    expect(describePolicy(createRetryPolicy(options))).toEqual(describePolicy(options))
  })

  it('refuses options that no policy can be built from', () => {
    expect(() => describePolicy({ capMs: 1 })).toThrow(RetryOptionError)
  })

  it('draws nothing from the policy’s own source of randomness', () => {
    let draws = 0
    describePolicy({ random: () => ++draws / 1e6 })
    expect(draws).toBe(0)
  })

  it('holds data alone, which is the same each time and survives JSON but for what is endless', () => {
    const description = describePolicy({ deadlineMs: 10_000, attemptTimeoutMs: 2_000 }, BUDGETED)
    expect(JSON.parse(JSON.stringify(description))).toEqual(description)
    expect(describePolicy({ deadlineMs: 10_000, attemptTimeoutMs: 2_000 }, BUDGETED)).toEqual(
      description,
    )
  })

  it.each([
    { layers: 1, calls: 3 },
    { layers: 3, calls: 27 },
    { layers: 4, calls: 81 },
  ])('$layers layers of 3 attempts are $calls calls', ({ layers, calls }) => {
    const below = Array.from({ length: layers - 1 }, () => ({ name: 'a service', retries: 2 }))
    expect(describePolicy({ maxRetries: 2 }, { layers: below }).worstCaseCalls).toBe(calls)
  })

  it('takes the worst of several clients, of which an operation has one: 5 attempts of 4 calls', () => {
    const clients = [
      { name: 'ky', retries: 2 },
      { name: 'axios-retry', retries: 3 },
    ]
    const { worstCaseCalls, warnings } = describePolicy({}, { ...BUDGETED, clients })
    expect(worstCaseCalls).toBe(20)
    expect(warnings).toEqual([
      {
        code: 'nested',
        text: expect.stringMatching(/ky 2, axios-retry 3 below 5 attempts are up to 20 calls/),
      },
    ])
    expect(textOf('attempts', {}, { clients })).toMatch(
      /Below, others retry as well \(ky 2, axios-retry 3\): one operation may come to 20 calls\.$/,
    )
    expect(row('layer', {}, { clients })?.isOpen).toBe(true)
  })

  it('asks `classify` what is retried', () => {
    const { retried } = describePolicy({})
    expect(retried).toEqual({
      statuses: [408, 429, 502, 503, 504],
      isNetworkRetried: true,
      isTimeoutRetried: true,
      isMistakeRetried: false,
      canServerAllow: true,
      canServerForbid: true,
      isUnread: false,
    })
    const classify: RetryPolicyOptions['classify'] = error => {
      const { status } = (error as { response: { status: number } }).response
      return { ...classifyFailure(error), retryable: status >= 520 && status <= 524 }
    }
    const own = describePolicy({ classify }, BUDGETED)
    expect(own.retried).toMatchObject({ statuses: [520, 521, 522, 523, 524], isUnread: true })
    expect(own.warnings.map(({ code }) => code)).toEqual(['classify-threw'])
  })

  it('counts what may have happened as not retried where the operation is not repeatable', () => {
    const facts = { isRepeatable: false }
    expect(describePolicy({}, facts).retried).toMatchObject({
      statuses: [429],
      isNetworkRetried: false,
      isTimeoutRetried: false,
    })
    expect(textOf('not-retried', {}, facts)).toContain('whatever may have taken effect')
    expect(row('why-repeatable', {}, facts)).toMatchObject({
      isOpen: false,
      text: expect.stringMatching(/^It is not/),
    })
  })
})

describe('rows', () => {
  it('say each of what a policy on one page says, once', () => {
    const topics = describePolicy({}, { notes: ['Also this.'] }).rows.map(({ topic }) => topic)
    expect(topics).toEqual([
      'operation',
      'why-repeatable',
      'id',
      'look-up',
      'retried',
      'not-retried',
      'attempts',
      'layer',
      'deadline',
      'attempt-timeout',
      'reserve',
      'backoff',
      'retry-after',
      'waits',
      'budget',
      'concurrency',
      'breaker',
      'cancellation',
      'unknown-outcome',
      'notes',
    ])
  })

  it('leave open what no setting says, and nothing where the team has said it', () => {
    const open = (facts: PolicyFacts) =>
      describePolicy({}, facts)
        .rows.filter(({ isOpen }) => isOpen)
        .map(({ topic }) => topic)
    expect(open({})).toEqual([
      'operation',
      'why-repeatable',
      'id',
      'look-up',
      'layer',
      'budget',
      'concurrency',
      'breaker',
      'unknown-outcome',
    ])
    const said: PolicyFacts = {
      operation: 'GET /cart',
      whyRepeatable: 'It reads.',
      id: 'None.',
      lookUp: 'Nowhere.',
      layer: 'The BFF.',
      budget: false,
      concurrency: '6 at a time.',
      breaker: false,
      unknownOutcome: 'Nothing is in doubt.',
    }
    expect(open(said)).toEqual([])
    expect(textOf('operation', {}, said)).toBe('GET /cart')
  })

  it.each<[PolicyRow['topic'], RetryPolicyOptions, RegExp]>([
    [
      'retried',
      {},
      /^HTTP 408, 429, 502, 503, 504; lost connections; attempt timeouts; what the server says to/,
    ],
    [
      'not-retried',
      {},
      /^Every other status; programming mistakes; cancelled requests; what the server says not to/,
    ],
    ['attempts', {}, /^5 in all: the first, and 4 retries\.$/],
    ['attempts', { maxRetries: 1 }, /^2 in all: the first, and 1 retry\.$/],
    ['attempts', { maxRetries: 9, deadlineMs: 1_000 }, /^10 in all.* leaves time for 6 at most\.$/],
    ['attempts', { maxRetries: Infinity }, /^Without limit.* leaves time for 151 at most\.$/],
    ['deadline', {}, /^30 s from the first attempt's start/],
    ['deadline', { deadlineMs: Infinity }, /^None/],
    ['attempt-timeout', {}, /^None/],
    [
      'attempt-timeout',
      { attemptTimeoutMs: 5_000 },
      /^5 s, or what the deadline leaves\..* after 30 s at the latest/,
    ],
    ['reserve', {}, /until the last moment; nothing is kept free/],
    [
      'reserve',
      { minAttemptMs: 400, reserveMs: 200 },
      /less than 400 ms left; 200 ms before the deadline are kept/,
    ],
    [
      'backoff',
      {},
      /begin with 1 s and grow by a factor of 2, up to the cap of 8 s\..*\(full jitter\).*floor of 200 ms/,
    ],
    ['backoff', { capMs: 60_000 }, /cap of 60 s, which no retry gets to/],
    ['backoff', { jitter: 'decorrelated' }, /three times the draw before/],
    [
      'retry-after',
      {},
      /spread that grows with it.* asks for more than 30 s, or than the time left/,
    ],
    ['retry-after', { maxServerWaitMs: 5_000 }, /more than 5 s/],
    ['retry-after', { serverWait: 'max' }, /The longer of it and the draw counts/],
    ['retry-after', { maxServerWaitMs: 0 }, /asks for any wait ends the operation/],
    ['retry-after', { maxServerWaitMs: Infinity, deadlineMs: Infinity }, /However long it is/],
    [
      'waits',
      {},
      /7\.9 s on average, and at most 15 s\. Where the server asks for waits, at most 30 s/,
    ],
    [
      'waits',
      { maxRetries: 9 },
      /about 26\.\d s on average, cut by the deadline, and at most 30 s/,
    ],
    ['waits', { maxRetries: 0 }, /^None/],
    [
      'waits',
      { maxRetries: Infinity, deadlineMs: Infinity },
      /without end on average, and without limit/,
    ],
  ])('%s of %j: %s', (topic, options, expected) => {
    expect(textOf(topic, options)).toMatch(expected)
  })

  it('a budget says what is saved up, what comes back, and what an outage makes of it', () => {
    const text = textOf('budget', {}, { ...BUDGETED, scope: 'the search service' })
    expect(text).toContain('60 retries saved up, 1 more each second, one with every 10 successes')
    expect(text).toContain('shared by the search service')
    expect(text).toContain('120 retries in the first minute and 60 in each after it')
  })

  it('the first minute of a budget in an outage is what the budget itself grants', async () => {
    const clock = manualClock()
    const options = { capacity: 7, refillPerSecond: 0.5, clock }
    const budget = new RetryBudget(options)
    let granted = 0
    for (let second = 0; second <= 60; second++) {
      while (budget.tryWithdraw()) granted++
      await clock.advance(1_000)
    }
    expect(textOf('budget', {}, { budget })).toContain(`${granted} retries in the first minute`)
  })

  it('a budget of another make is said to be there, without numbers', () => {
    const budget = { tryWithdraw: () => true, refund() {}, recordSuccess() {} }
    expect(row('budget', {}, { budget })).toMatchObject({
      isOpen: false,
      text: expect.stringMatching(/^Its own/),
    })
  })

  it('a breaker is waited for as long as the deadline leaves', () => {
    const breaker = { run: () => Promise.reject(), nextProbeAtMs: undefined }
    const text = textOf('breaker', { reserveMs: 5_000 }, { breaker, scope: 'the shop' })
    expect(text).toMatch(/^One for the shop\. .*within 25 s, which uses up no retry/)
  })
})

describe('warnings', () => {
  it('there are none by default', () => {
    expect(codes({})).toEqual([])
  })

  it.each<[RetryPolicyOptions, string[]]>([
    [{ maxRetries: 0 }, ['no-retries']],
    [{ maxRetries: Infinity, deadlineMs: Infinity }, ['retries-without-end']],
    [{ maxRetries: Infinity, floorMs: 0 }, ['retries-without-end']],
    [{ maxRetries: Infinity }, []],
    [{ jitter: 'none' }, ['no-jitter']],
    [{ floorMs: 1_000 }, ['nothing-to-draw']],
    [{ floorMs: 999 }, []],
    [{ floorMs: 8_000 }, ['nothing-to-draw', 'windows-do-not-grow', 'no-time-for-all-retries']],
    [{ factor: 1 }, ['windows-do-not-grow']],
    [{ baseMs: 8_000 }, ['windows-do-not-grow']],
    [{ jitter: 'decorrelated', factor: 1 }, []],
    [
      { jitter: 'decorrelated', baseMs: 8_000, deadlineMs: 60_000 },
      ['nothing-to-draw', 'windows-do-not-grow'],
    ],
    [{ factor: 1, maxRetries: 1 }, []],
    [{ capMs: 30_000, maxRetries: 5 }, ['wait-too-long']],
    [{ capMs: 30_000 }, []],
    [{ reserveMs: 31_000 }, ['no-time-for-an-attempt']],
    [{ reserveMs: 20_000, minAttemptMs: 10_001 }, ['no-time-for-an-attempt']],
    [{ deadlineMs: 199 }, ['no-time-for-a-retry']],
    [{ deadlineMs: 400, jitter: 'equal' }, ['no-time-for-a-retry']],
    [{ deadlineMs: 200 }, ['no-time-for-all-retries']],
    [{ deadlineMs: 5_000 }, ['no-time-for-all-retries']],
    [{ deadlineMs: 8_000 }, []],
    [{ attemptTimeoutMs: 29_800 }, []],
    [{ attemptTimeoutMs: 29_801 }, ['no-time-after-a-timeout']],
    [{ attemptTimeoutMs: 45_000 }, ['no-time-after-a-timeout']],
    [{ attemptTimeoutMs: 45_000, deadlineMs: Infinity }, []],
    [{ maxServerWaitMs: 999 }, ['server-wait-refused']],
    [{ maxServerWaitMs: 1_000 }, []],
    [{ maxServerWaitMs: 45_000 }, ['server-wait-after-deadline']],
    [{ maxServerWaitMs: Infinity }, []],
    [{ serverWait: 'max' }, ['server-wait-not-spread']],
    [{ classify: error => ({ ...classifyFailure(error), retryable: false }) }, ['nothing-retried']],
    [
      { classify: error => ({ ...classifyFailure(error), retryable: true }) },
      ['everything-retried'],
    ],
  ])('of %j are %j', (options, expected) => {
    expect(codes(options)).toEqual(expected)
  })

  it.each<[PolicyFacts, string[]]>([
    [{ budget: false }, ['budget-off']],
    [{}, []],
    [{ budget: new RetryBudget({ capacity: 0.5 }) }, ['budget-empty']],
    [
      { budget: new RetryBudget({ refillPerSecond: 0, depositPerSuccess: 0 }) },
      ['budget-not-refilled'],
    ],
    [{ budget: new RetryBudget({ refillPerSecond: 0 }) }, []],
    [{ retryAfterMs: 30_001 }, ['server-wait-after-deadline']],
    [{ retryAfterMs: 30_000 }, []],
    [{ patienceMs: 7_999 }, ['wait-too-long']],
    [{ patienceMs: 8_000 }, []],
    [{ layers: [{ name: 'gateway', retries: 1 }] }, ['nested']],
    [{ layers: [{ name: 'gateway', retries: 0 }] }, []],
  ])('of the default settings with %o are %j', (facts, expected) => {
    expect(codes({}, { ...(facts.budget === undefined && BUDGETED), ...facts })).toEqual(expected)
  })

  it('name the option to change, and say what it does in its own numbers', () => {
    const { warnings } = describePolicy({ floorMs: 2_000, attemptTimeoutMs: 40_000 }, BUDGETED)
    expect(warnings).toEqual([
      {
        code: 'nothing-to-draw',
        option: 'floorMs',
        text: expect.stringMatching(/^Retries 1 to 2 always after 2 s/),
      },
      {
        code: 'no-time-after-a-timeout',
        option: 'attemptTimeoutMs',
        text: expect.stringContaining('after 40 s'),
      },
    ])
  })

  it('are right that nothing is drawn: every client decides the same wait', () => {
    const delays = [0, 0.5, 0.999].map(value => {
      const policy = createRetryPolicy({ floorMs: 1_000, random: () => value })
      const decision = policy.decide({ error: { status: 503 }, retryIndex: 0 })
      return decision.retry && decision.delayMs
    })
    expect(delays).toEqual([1_000, 1_000, 1_000])
  })

  it('are right about which retries the deadline leaves out: on average the fourth', () => {
    const [warning] = describePolicy({ deadlineMs: 6_000 }, BUDGETED).warnings
    expect(warning?.text).toContain('retry 4 and those after it')
  })
})
