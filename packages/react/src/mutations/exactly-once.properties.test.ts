import { MutationObserver, QueryClient } from '@tanstack/react-query'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { createDefaultJournal } from '../intents/default-journal.ts'
import { createRetryPreset } from '../retry-preset.ts'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { chargingServer, type Fault } from '../testing-support/charging-server.ts'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import { idempotentMutationOptions } from './idempotent-mutation-options.ts'

installFakeTime()

type Step =
  | { do: 'pay'; tab: number; amount: number }
  /** Its requests are still answered to it, as they are in a page that is kept for `back`. */
  | { do: 'replace'; tab: number }
  /** Nobody hears the answers any more. */
  | { do: 'kill'; tab: number }
  | { do: 'wait'; ms: number }

const tab = fc.constantFrom(0, 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      tab,
      amount: fc.constantFrom(12, 12, 12, 99),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('replace' as const, 'kill' as const), tab }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 10, 600, 4_000, 11_000, 70_000),
    }),
  },
)
const fault = fc.constantFrom<Fault>(
  'none',
  'slow',
  'lost-before',
  'lost-after',
  'late',
  'gateway-timeout',
  'overloaded',
  'login',
  'declined',
)

/** One person, one order, two tabs. */
async function live(
  steps: Step[],
  faults: Fault[],
  random: () => number,
  attemptTimeoutMs: number | undefined,
) {
  const browser = browserTabs()
  const server = chargingServer(faults)
  const clients: QueryClient[] = []
  const openPage = () => {
    let isGone = false
    let close = () => {}
    const closed = new Promise<void>(resolve => {
      close = resolve
    })
    const whileOpen = <T>(work: Promise<T>) =>
      work.finally(() => isGone && new Promise<never>(() => {}))
    const client = new QueryClient({ defaultOptions: createRetryPreset({ random }).defaultOptions })
    clients.push(client)
    const journal = createDefaultJournal({ globals: browser.openTab() })
    const options = idempotentMutationOptions({
      mutationKey: ['pay'],
      intent: (order: { id: string; amount: number }) => ['order', order.id],
      principal: 'ann',
      contract: ietfDraft({ resendWindowMs: 86_400_000 }),
      journal: {
        ...journal,
        // The locks of a page that is gone are free.
        claim: (id, until) =>
          journal.claim?.(id, Promise.race([closed, until])) ?? Promise.resolve(),
        update: (id, change) =>
          isGone ? new Promise(() => {}) : whileOpen(journal.update(id, change)),
      },
      attemptTimeoutMs,
      mutationFn: ({ amount }, { idempotencyKey }) =>
        whileOpen(server.charge(idempotencyKey, amount)),
    })
    return {
      pay: (amount: number) =>
        new MutationObserver(client, options).mutate({ id: '1001', amount }).catch(() => {}),
      kill() {
        isGone = true
        close()
      },
    }
  }
  const pages = [openPage(), openPage()]
  for (const next of steps) {
    if (next.do === 'wait') await advance(next.ms)
    else if (next.do === 'pay') pages[next.tab]?.pay(next.amount)
    else {
      if (next.do === 'kill') pages[next.tab]?.kill()
      pages[next.tab] = openPage()
    }
  }
  await advance(200_000)
  // The faults are over. Whoever asks again for what they had asked for first gets to know.
  for (let round = 0; round < 2 + faults.length; round++) {
    for (const amount of [12, 99]) {
      openPage().pay(amount)
      await advance(100_000)
    }
  }
  for (const client of clients) client.clear()
  return server
}

describe('one order, whatever happens to clicks, tabs, pages and requests', () => {
  it('is charged exactly once, by a server that knows nothing but keys', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.array(fault, { maxLength: 8 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom(undefined, 3_000),
        async (steps, faults, draw, attemptTimeoutMs) => {
          const { charges } = await live(steps, faults, () => draw, attemptTimeoutMs)
          expect(charges).toHaveLength(1)
        },
      ),
      { numRuns: 100 },
    )
  }, 60_000)
})
