import type { PaymentRequest, ProviderFault } from '@query-retry/checkout-api'
import type { Draws } from '@query-retry/checkout-api/chaos'
import type { RequestFault } from './request-faults.ts'

export type Card = PaymentRequest['paymentMethod']

/** How a person presses the button: `enter-and-click` is both ways of a form at once. */
export type Press = 'click' | 'double-click' | 'enter-and-click'

/** One thing that a person does, or that happens to their browser. What does not fit is left out. */
export type Step =
  | { do: 'pay'; card: Card; press: Press }
  /** In two tabs in one moment. */
  | { do: 'pay-in-two-tabs'; cards: readonly [Card, Card] }
  /** The same page in a browser that shares nothing with this one, as on a phone. */
  | { do: 'open-elsewhere' }
  | { do: 'pay-elsewhere'; card: Card }
  | { do: 'wait'; forMs: number }
  /** Until nothing is under way any more, or this long. */
  | { do: 'wait-for-outcome'; forMs: number }
  | { do: 'reload' }
  /** The tab is closed without a word, and the page opened again later. */
  | { do: 'kill-tab'; awayMs: number }
  /** The process of the tab ends. */
  | { do: 'crash-tab'; awayMs: number }
  | { do: 'close-second-tab' }
  | { do: 'go-offline' }
  | { do: 'go-online' }
  | { do: 'check-again' }
  | { do: 'pay-differently' }

/** What a checkout is about; the rest is drawn. */
export interface Story {
  steps: readonly Step[]
  /** For the first requests to pay, in place of what would be drawn. */
  firstFaults?: readonly (RequestFault | undefined)[]
  /** For this order's charges. */
  providerFaults?: readonly ProviderFault[]
  /** What the page gives to `onSuccess` throws. */
  hasThrowingCallback?: boolean
}

type Tell = (draws: Draws) => Story

const pay = (card: Card = 'card_ok', press: Press = 'click'): Step => ({ do: 'pay', card, press })
const outcome: Step = { do: 'wait-for-outcome', forMs: 6_000 }
/** About as long as a payment takes. */
const soon = (draws: Draws): Step => ({ do: 'wait', forMs: draws.between(0, 250) })
const away = (draws: Draws) => draws.between(0, 1_500)
const refused = (draws: Draws): Card => draws.oneOf(['card_declined', 'card_expired'])

/** Nobody knows what came of the first request, so that what comes next comes in the middle. */
const inDoubt = (draws: Draws): RequestFault[] => [
  draws.oneOf<RequestFault>([
    { kind: 'answer-lost' },
    { kind: 'gateway-timeout' },
    { kind: 'late-request', delayMs: draws.between(300, 2_000) },
    { kind: 'freeze', faultAt: `freeze@claimed:${draws.between(1_100, 1_600)}` },
  ]),
]
const stillInDoubt = (draws: Draws) => [...inDoubt(draws), ...inDoubt(draws)]

const providerFails = (faults: (draws: Draws) => ProviderFault[]): Tell => {
  return draws => ({
    providerFaults: faults(draws),
    steps: [pay(), outcome, { do: 'check-again' }, outcome],
  })
}

/** Stories that end a process of the server. */
export const DEADLY: Readonly<Record<string, Tell>> = {
  'worker-crashes': draws => ({
    firstFaults: [
      {
        kind: 'crash',
        faultAt: `crash@${draws.oneOf(['claimed', 'starting', 'started', 'performed', 'finishing', 'finished'])}`,
      },
    ],
    steps: [pay(), outcome, { do: 'check-again' }],
  }),
}

/** What can become of one checkout, by name. A run deals them like cards. */
export const STORIES: Readonly<Record<string, Tell>> = {
  ...DEADLY,
  plain: () => ({ steps: [pay(), outcome] }),
  'double-click': () => ({ steps: [pay('card_ok', 'double-click'), outcome] }),
  'enter-and-click': () => ({ steps: [pay('card_ok', 'enter-and-click'), outcome] }),

  reload: draws => ({ steps: [pay(), soon(draws), { do: 'reload' }, outcome] }),
  'reload-in-doubt': draws => ({
    firstFaults: inDoubt(draws),
    steps: [pay(), { do: 'wait', forMs: draws.between(0, 1_500) }, { do: 'reload' }, outcome],
  }),
  'reload-again-and-again': draws => ({
    firstFaults: inDoubt(draws),
    steps: [pay(), ...[1, 2, 3].flatMap((): Step[] => [soon(draws), { do: 'reload' }]), outcome],
  }),
  'tab-kill': draws => ({
    steps: [pay(), soon(draws), { do: 'kill-tab', awayMs: away(draws) }, outcome],
  }),
  'tab-kill-in-doubt': draws => {
    // Half of them after the retry has left it in doubt as well; the others at any moment before.
    const isAfterRetry = draws.chance(0.5)
    return {
      firstFaults: isAfterRetry ? stillInDoubt(draws) : inDoubt(draws),
      steps: [
        pay(),
        isAfterRetry ? outcome : { do: 'wait', forMs: draws.between(0, 1_500) },
        { do: 'kill-tab', awayMs: away(draws) },
        outcome,
      ],
    }
  },
  'tab-crash': draws => ({
    firstFaults: inDoubt(draws),
    steps: [pay(), soon(draws), { do: 'crash-tab', awayMs: away(draws) }, outcome],
  }),

  'two-tabs': () => ({
    steps: [{ do: 'pay-in-two-tabs', cards: ['card_ok', 'card_ok'] }, outcome],
  }),
  'two-tabs-two-cards': draws => ({
    steps: [{ do: 'pay-in-two-tabs', cards: ['card_ok', refused(draws)] }, outcome],
  }),
  'one-of-two-tabs-dies': draws => ({
    firstFaults: inDoubt(draws),
    steps: [
      { do: 'pay-in-two-tabs', cards: ['card_ok', 'card_ok'] },
      soon(draws),
      draws.chance(0.5)
        ? { do: 'close-second-tab' }
        : { do: 'kill-tab', awayMs: draws.between(0, 500) },
      outcome,
    ],
  }),
  'two-browsers': draws => ({
    firstFaults: draws.chance(0.5) ? inDoubt(draws) : [],
    steps: [
      { do: 'open-elsewhere' },
      pay(),
      soon(draws),
      { do: 'pay-elsewhere', card: draws.chance(0.7) ? 'card_ok' : refused(draws) },
      outcome,
    ],
  }),

  'offline-first': draws => ({
    steps: [
      { do: 'go-offline' },
      pay(),
      { do: 'wait', forMs: draws.between(200, 1_000) },
      ...(draws.chance(0.3) ? [{ do: 'reload' } as const] : []),
      { do: 'go-online' },
      outcome,
    ],
  }),
  'offline-in-flight': draws => ({
    firstFaults: inDoubt(draws),
    steps: [
      pay(),
      soon(draws),
      { do: 'go-offline' },
      { do: 'wait', forMs: draws.between(300, 1_500) },
      { do: 'go-online' },
      outcome,
    ],
  }),

  'declined-then-other-card': draws => ({
    steps: [pay(refused(draws)), outcome, pay('card_ok'), outcome],
  }),
  'declined-twice': draws => ({
    steps: [pay(refused(draws)), outcome, pay(refused(draws), 'double-click'), outcome, pay()],
  }),
  'declined-in-doubt': draws => ({
    firstFaults: inDoubt(draws),
    steps: [pay(refused(draws)), outcome, pay('card_ok'), { do: 'check-again' }, pay('card_ok')],
  }),

  'check-again': draws => ({
    firstFaults: stillInDoubt(draws),
    steps: [pay(), outcome, { do: 'check-again' }, outcome, { do: 'check-again' }],
  }),
  'pay-differently': draws => ({
    firstFaults: stillInDoubt(draws),
    steps: [pay(), outcome, { do: 'pay-differently' }, outcome, pay('card_ok'), outcome],
  }),
  /** The first request comes to the server when its key may be burnt, and another one be paying. */
  'pay-differently-before-it-comes': draws => ({
    firstFaults: [
      { kind: 'cut-off' },
      { kind: 'late-request', delayMs: draws.between(800, 2_500) },
    ],
    steps: [
      pay(),
      { do: 'wait-for-outcome', forMs: 3_000 },
      { do: 'pay-differently' },
      pay('card_ok'),
      outcome,
    ],
  }),

  'logged-out': draws => ({
    firstFaults: draws.chance(0.5)
      ? [{ kind: 'logged-out' }]
      : [...inDoubt(draws), { kind: 'logged-out' }],
    steps: [pay(), outcome],
  }),
  /**
   * On a connection that was used before, browsers repeat a request whose answer never began, by
   * themselves and at once: of the one attempt that did it, the page sees the refusal alone.
   */
  'turned-away-after-a-loss': draws => ({
    firstFaults: [
      { kind: draws.chance(0.7) ? 'answer-lost' : 'cut-off' },
      { kind: draws.chance(0.7) ? 'too-many' : 'logged-out' },
    ],
    steps: [pay(), outcome, pay(), outcome],
  }),
  'captive-portal': () => ({ firstFaults: [{ kind: 'login-page' }], steps: [pay(), outcome] }),
  'callback-throws': () => ({
    hasThrowingCallback: true,
    steps: [pay('card_ok', 'double-click'), outcome],
  }),

  'provider-loses-request': providerFails(draws => [
    { kind: 'lost-before', calls: draws.between(1, 3) },
  ]),
  'provider-loses-answer': providerFails(draws => [
    { kind: 'lost-after', calls: draws.between(1, 3) },
  ]),
  'provider-applies-late': providerFails(draws => [
    { kind: 'late-apply', delayMs: draws.between(100, 1_200), calls: draws.between(1, 2) },
  ]),
  'provider-is-slow': providerFails(draws => [
    { kind: 'slow', delayMs: draws.between(450, 700), calls: 1 },
  ]),
  'provider-is-down': providerFails(draws => [{ kind: 'down', calls: draws.between(1, 5) }]),
  'provider-declines': providerFails(() => [
    { kind: 'decline', declineCode: 'lost-card', calls: 1 },
  ]),
}
