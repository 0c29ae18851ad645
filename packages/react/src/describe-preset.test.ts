import {
  CircuitBreaker,
  formatPolicy,
  type PolicyDescription,
  type PolicyRow,
  RetryBudget,
  RetryOptionError,
} from '@query-retry/core'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ietfDraft } from './contracts/ietf-draft.ts'
import { stripe } from './contracts/stripe.ts'
import { describePreset } from './describe-preset.ts'
import { createRetryPreset, type RetryPresetOptions } from './retry-preset.ts'
import { instantRetries } from './testing/instant-retries.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const describeOptions = (
  options: RetryPresetOptions = {},
  facts?: Parameters<typeof describePreset>[1],
) => describePreset(createRetryPreset(options), facts)

function textOf({ rows }: PolicyDescription, topic: PolicyRow['topic']): string {
  return rows.find(row => row.topic === topic)?.text ?? ''
}

const codesOf = ({ warnings }: PolicyDescription) => warnings.map(({ code }) => code)
const openIn = ({ rows }: PolicyDescription) =>
  rows.filter(({ isOpen }) => isOpen).map(({ topic }) => topic)

/** Under `preset`, a client whose error says that it retried by itself. */
async function fetchWithRetryingClient(options: RetryPresetOptions) {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const preset = createRetryPreset(options)
  const client = new QueryClient({ defaultOptions: preset.defaultOptions })
  const error = { status: 503, config: { 'axios-retry': { retryCount: 2 } } }
  client.fetchQuery({ queryKey: ['cart'], queryFn: () => Promise.reject(error) }).catch(() => {})
  await vi.waitFor(() => expect(preset.describe().nested).toHaveLength(1))
  client.clear()
  return preset
}

describe('describePreset', () => {
  it('finds nothing to warn of in the defaults: 5 attempts of a query, 2 of a mutation under a key', () => {
    const { queries, mutations } = describeOptions()
    expect(queries).toMatchObject({ attempts: 5, worstCaseCalls: 5, worstWaitMs: 15_000 })
    expect(mutations).toMatchObject({ attempts: 2, worstCaseCalls: 2, worstWaitMs: 1_000 })
    expect(mutations.expectedWaitMs).toBe(750)
    expect([codesOf(queries), codesOf(mutations)]).toEqual([[], []])
  })

  it('leaves to the team what no preset knows', () => {
    const { queries, mutations } = describeOptions()
    expect(openIn(queries)).toEqual(['operation', 'concurrency'])
    expect(openIn(mutations)).toEqual(['operation', 'id', 'look-up', 'concurrency'])
  })

  it('reads how long a key may be sent again from the contract', () => {
    const idBy = (contract: ReturnType<typeof ietfDraft>) =>
      textOf(describeOptions({}, { mutations: { contract } }).mutations, 'id')
    expect(idBy(ietfDraft())).toContain('for 5 min after its first attempt')
    expect(idBy(stripe())).toContain(`contract ${stripe().name}`)
    expect(
      openIn(describeOptions({}, { mutations: { contract: stripe() } }).mutations),
    ).not.toContain('id')
  })

  it('says which failures follow a mutation with a retry: what most likely nobody answered', () => {
    const { queries, mutations } = describeOptions()
    expect(queries.retried.statuses).toEqual([408, 429, 502, 503, 504])
    expect(mutations.retried).toMatchObject({
      statuses: [504],
      isNetworkRetried: true,
      isTimeoutRetried: true,
      canServerAllow: false,
    })
  })

  it('takes the settings of queries for queries alone, and those of `mutations` for mutations', () => {
    const { queries, mutations } = describeOptions({ jitter: 'none', mutations: { maxRetries: 0 } })
    expect([codesOf(queries), codesOf(mutations)]).toEqual([['no-jitter'], ['no-retries']])
  })

  it('describes one operation: a query with a `meta.retry`, a mutation with a timeout of its own', () => {
    const { queries, mutations } = describeOptions(
      { capMs: 4_000 },
      {
        queries: { operation: 'GET /report', retry: { maxRetries: 1 } },
        mutations: { attemptTimeoutMs: 20_000, lookUp: 'GET /payments/by-key/{key}' },
      },
    )
    expect(queries).toMatchObject({ title: 'GET /report', attempts: 2 })
    expect(mutations.title).toBe('mutations under a key')
    expect(textOf(queries, 'operation')).toBe('GET /report')
    expect(textOf(mutations, 'attempt-timeout')).toMatch(/^20 s\./)
    expect(openIn(mutations)).not.toContain('look-up')
  })

  it('refuses a `retry` that no query may have', () => {
    expect(() => describeOptions({}, { queries: { retry: { maxRetries: -1 } } })).toThrow(
      RetryOptionError,
    )
  })

  it('counts a client’s own retries once they were seen: 3 calls in each of 5 attempts', async () => {
    const preset = await fetchWithRetryingClient({})
    expect(preset.describe().nested).toEqual([{ client: 'axios-retry', retries: 2, calls: 15 }])
    const { queries } = describePreset(preset)
    expect(queries).toMatchObject({ attempts: 5, worstCaseCalls: 15 })
    expect(codesOf(queries)).toEqual(['nested'])
    expect(formatPolicy(queries)).toContain('axios-retry 2 below 5 attempts are up to 15 calls')
  })

  it.each<[RetryPresetOptions, RegExp, string[]]>([
    [{}, /^60 retries saved up, 1 more each second.*shared by the whole preset\./, []],
    [{ budget: false }, /^None/, ['budget-off']],
    [{ budget: () => new RetryBudget({ capacity: 10 }) }, /^10 retries saved up/, []],
    [{ scopeOf: () => 'shop' }, /shared by whatever has the same scope/, []],
    [
      {
        budget: () => {
          throw new Error('no budget')
        },
      },
      /^None/,
      ['budget-off'],
    ],
  ])('says what the budget is: %o', (options, text, codes) => {
    const { queries, mutations } = describeOptions(options)
    for (const page of [queries, mutations]) {
      expect(textOf(page, 'budget')).toMatch(text)
      expect(codesOf(page)).toEqual(codes)
    }
  })

  it('asks for the budget of the scope that is named', () => {
    const budget = (scope: string) => new RetryBudget({ capacity: scope === 'search' ? 5 : 60 })
    const { queries, mutations } = describeOptions(
      { budget, scopeOf: () => 'search' },
      { queries: { scope: 'search' } },
    )
    expect(textOf(queries, 'budget')).toMatch(/^5 retries.*shared by scope search/)
    expect(textOf(mutations, 'budget')).toMatch(/^60 retries/)
  })

  it('says whether queries go through a breaker, and makes none', () => {
    const circuitBreaker = vi.fn(() => new CircuitBreaker())
    const { queries, mutations } = describeOptions({ circuitBreaker })
    expect(textOf(queries, 'breaker')).toMatch(/^One for the whole preset\./)
    expect(textOf(mutations, 'breaker')).toBe('None.')
    expect(circuitBreaker).toHaveBeenCalledWith('default')
    expect(textOf(describeOptions().queries, 'breaker')).toBe('None.')
    const none = () => undefined
    expect(textOf(describeOptions({ circuitBreaker: none }).queries, 'breaker')).toBe('None.')
  })

  it.each<[RetryPresetOptions, string, boolean]>([
    [{}, 'spread over 500 ms', true],
    [{ resumeSpreadMs: 0 }, 'spread over', false],
    [{}, 'Infinite queries have no attempt timeout', false],
    [{ attemptTimeoutMs: 5_000 }, 'Infinite queries have no attempt timeout', true],
    [{}, 'Nothing is retried on a server', true],
    [{ retryOnServer: true }, 'Nothing is retried on a server', false],
    [{}, 'kill switch', false],
    [{ enabled: () => true }, 'kill switch', true],
  ])('of %o, "%s" is on the page: %s', (options, text, isOnIt) => {
    expect(textOf(describeOptions(options).queries, 'notes').includes(text)).toBe(isOnIt)
  })

  it('describes the preset of tests as it does the real one', () => {
    const options = { maxRetries: 3, capMs: 2_000, resumeSpreadMs: 0, retryOnServer: true }
    expect(describePreset(instantRetries(options))).toEqual(
      describePreset(createRetryPreset(options)),
    )
  })

  it('gives the same in production, where no client is watched', () => {
    const inDevelopment = describeOptions({ maxRetries: 2 })
    vi.stubEnv('NODE_ENV', 'production')
    expect(describeOptions({ maxRetries: 2 })).toEqual(inDevelopment)
  })
})
