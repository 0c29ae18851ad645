import { describe, expect, it, vi } from 'vitest'
import { pairDecisions } from './decision-pair.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

/** Decides anew each time, so that a second decision shows. */
function countedPair(retry = true) {
  let decisions = 0
  const committed: number[] = []
  const pair = pairDecisions(
    () => {
      decisions++
      return { retry, delayMs: decisions }
    },
    ({ delayMs }) => {
      committed.push(delayMs)
      return retry
    },
  )
  return { ...pair, committed, decisions: () => decisions }
}

describe('pairDecisions', () => {
  it('decides once for both questions, delay first', () => {
    const { retry, retryDelay, decisions } = countedPair()
    expect([retryDelay(0, 'e'), retry(0, 'e'), decisions()]).toEqual([1, true, 1])
  })

  it('decides once for both questions, retry first', () => {
    const { retry, retryDelay, decisions } = countedPair()
    expect([retry(0, 'e'), retryDelay(0, 'e'), decisions()]).toEqual([true, 1, 1])
  })

  it.each([
    ['count', 1, 'e'],
    ['error', 0, 'other'],
  ])('decides anew for another %s', (_, failureCount, error) => {
    const { retry, retryDelay, decisions } = countedPair()
    retryDelay(0, 'e')
    retry(failureCount, error)
    expect(decisions()).toBe(2)
  })

  it('decides anew for the same failure of another operation', () => {
    const { retry, retryDelay } = countedPair()
    expect([retryDelay(0, 'e'), retry(0, 'e'), retryDelay(0, 'e'), retry(0, 'e')]).toEqual([
      1,
      true,
      2,
      true,
    ])
  })

  it('decides anew where one question alone is asked again', () => {
    const { retryDelay } = countedPair()
    expect([retryDelay(0, 'e'), retryDelay(0, 'e')]).toEqual([1, 2])
  })

  it('commits with `retry` alone, the decision that the delay came from', () => {
    const { retry, retryDelay, committed } = countedPair()
    retryDelay(0, 'e')
    expect(committed).toEqual([])
    retry(0, 'e')
    expect(committed).toEqual([1])
  })

  it('takes NaN as an error like any other', () => {
    const { retry, retryDelay, decisions } = countedPair()
    retryDelay(0, NaN)
    retry(0, NaN)
    expect(decisions()).toBe(1)
  })
})

describe("the preset's `retry` and `retryDelay`", () => {
  it.each([
    ['delay first', (q: Pair) => [q.retryDelay(0, error()), q.retry(0, last)]],
    ['retry first', (q: Pair) => [q.retry(0, error()), q.retryDelay(0, last)].reverse()],
  ])('agree on a draw, %s', (_, ask) => {
    let draws = 0
    const { preset } = startConversation({ random: () => draws++ / 10 })
    expect(ask(preset.queries)).toEqual([200, true])
    expect(draws).toBe(1)
  })

  it('answer false and 0 for a failure that is not retried', () => {
    const { preset } = startConversation()
    expect(preset.queries.retryDelay(0, { status: 404 })).toBe(0)
    expect(preset.queries.retry(0, { status: 404 })).toBe(false)
  })

  it('leave no trace of a retry that was only asked for: no event, no link in the decorrelated chain', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { preset, client, events, clock } = startConversation({ jitter: 'decorrelated' })
    const shown: number[] = []
    const unavailable = { status: 503 }
    const sentAtMs: number[] = []
    const failing = client.fetchQuery({
      queryKey: ['refused-once'],
      queryFn: () => {
        sentAtMs.push(clock.nowMs())
        throw unavailable
      },
      // The caller's own `retry` refuses what the preset's delay was drawn for.
      retry: () => false,
      retryDelay: (count, thrown) => {
        shown.push(preset.queries.retryDelay(count, thrown))
        return 0
      },
    })
    await expect(failing).rejects.toBe(unavailable)
    expect(shown).toEqual([2_000])
    expect(sentAtMs).toEqual([0])
    await advance(60_000)
    expect(events.map(({ type }) => type)).toEqual(['gave-up'])
    // The next fetch starts its chain at base again: half-way to 3,000 ms.
    expect(preset.queries.retryDelay(0, { status: 503 })).toBe(2_000)
  })
})

type Pair = ReturnType<typeof startConversation>['preset']['queries']
let last: unknown
/** A new error, for both questions. */
function error(): unknown {
  last = { status: 503 }
  return last
}
