import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { advance, installFakeTime, type Script } from '../testing-support/conversation.ts'
import { OFFLINE, PAID, problem, startPayments } from '../testing-support/scripted-mutation.ts'

installFakeTime()

const mutationHash = '["pay"]'

describe('events of a mutation under a key that', () => {
  it('succeeds at once: none', async () => {
    const { events, submit } = startPayments([PAID])
    submit()
    await advance(10_000)
    expect(events).toEqual([])
  })

  it('recovers in its second attempt', async () => {
    const { events, submit } = startPayments([OFFLINE, PAID])
    submit()
    await advance(10_000)
    const reason = 'network'
    expect(events).toEqual([
      { type: 'attempt-failed', mutationHash, attempt: 1, elapsedMs: 0, reason },
      {
        type: 'retry-scheduled',
        mutationHash,
        attempt: 2,
        elapsedMs: 0,
        reason,
        delayMs: 750,
        source: 'backoff',
      },
      { type: 'retry-started', mutationHash, attempt: 2, elapsedMs: 750, reason },
      { type: 'recovered', mutationHash, attempt: 2, elapsedMs: 750, reason },
    ])
  })

  it.each<[string, Script, string, string]>([
    ['is declined', problem(402, 'payment-declined'), 'payment-declined', 'not-retryable'],
    ['fails twice', OFFLINE, 'network', 'retries-exhausted'],
  ])('%s: with its reason', async (_, script, reason, stopReason) => {
    const { events, submit } = startPayments([script])
    submit()
    await advance(10_000)
    expect(events.at(-1)).toMatchObject({ type: 'gave-up', mutationHash, reason, stopReason })
  })

  it('waits for a request in progress: each wait is told', async () => {
    const running = problem(409, 'request-in-progress', { 'retry-after': '1' })
    const { eventTypes, events, submit } = startPayments([running, PAID])
    submit()
    await advance(10_000)
    expect(eventTypes()).toEqual([
      'attempt-failed',
      'retry-scheduled',
      'retry-started',
      'recovered',
    ])
    expect(events[1]).toMatchObject({ reason: 'request-in-progress', source: 'server' })
  })
})

describe('no event, message or warning', () => {
  const said: string[] = []
  const listen = () => {
    said.length = 0
    for (const method of ['log', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => {
        said.push(words.map(word => `${word} ${Object(word).stack} ${JSON.stringify(word)}`).join())
      })
    }
  }
  /** A word that can have come from one place only. */
  const secret = fc.stringMatching(/^sk[a-z0-9]{12}$/)
  const scripts = fc.array(
    fc.constantFrom(
      OFFLINE,
      PAID,
      problem(409, 'request-in-progress'),
      problem(422, 'key-mismatch'),
      problem(503, 'outcome-unknown'),
      { fails: { status: 504 } },
      { fails: { status: 401 } },
    ),
    { minLength: 1, maxLength: 4 },
  )

  it('has an idempotency key, a payload or a header in it', async () => {
    listen()
    await fc.assert(
      fc.asyncProperty(secret, scripts, fc.boolean(), async (word, script, isMutated) => {
        const { events, keys, submit } = startPayments(script)
        const order = { id: 'o1', amount: 1, card: word }
        const submitted = [submit(order, { retry: isMutated ? 1 : undefined })]
        await advance(100)
        if (isMutated) order.card = `${word} again`
        submitted.push(submit(order), submit({ ...order, amount: 2 }))
        await advance(100_000)
        submitted.push(submit({ ...order, amount: 3 }))
        await advance(100_000)
        const errors = submitted.flatMap(({ error }) =>
          error instanceof Error ? [error.message, JSON.stringify(error)] : [],
        )
        const text = JSON.stringify([events, errors, said])
        for (const hidden of [word, ...keys()]) expect(text).not.toContain(hidden)
        expect(keys().length).toBeGreaterThan(0)
      }),
      { numRuns: 50 },
    )
  })
})
