import type { Order, PaymentRequest } from '@query-retry/checkout-api'
import {
  IntentError,
  type IntentView,
  type KeyFinding,
  useIdempotentMutation,
} from '@query-retry/react'
import { useEffect, useRef, useState } from 'react'
import { recall, remember } from '../remembered.ts'
import { useShop } from '../shop.ts'

export type Card = PaymentRequest['paymentMethod']

export const CARDS: readonly Card[] = ['card_ok', 'card_declined', 'card_expired']

/** After these the same payment may go out once more, under its key: nobody has settled it. */
const OPEN_FINDINGS: readonly (KeyFinding | undefined)[] = ['not-found', 'waiting', 'running']

const FOLLOW_EVERY_MS = 1_000

/** Where a payment stands, as far as the page is concerned. */
export type PaymentPhase =
  | 'choose'
  | 'sending'
  | 'waiting'
  | 'paused'
  | 'unknown'
  | 'expired'
  | 'conflict'
  | 'already-paid'
  | 'paid'

/** Paying one order: what stands, and what the person may do about it. */
export function usePayment(order: Order) {
  const { payments, queries, queryClient } = useShop()
  const options = payments.payment(order)
  const finding = useRef<KeyFinding>(undefined)
  const [question, setQuestion] = useState<'none' | 'asking' | 'failed' | 'too-late'>('none')
  const mutation = useIdempotentMutation({
    ...options,
    async lookUp(key) {
      const answer = await options.lookUp?.(key)
      finding.current = answer?.finding
      return answer ?? { finding: 'not-found' }
    },
    async fence(key) {
      const answer = await options.fence?.(key)
      finding.current = answer?.finding
      return answer ?? { finding: 'not-found' }
    },
  })
  const { intent, resolve } = mutation

  // Begun by a page that is gone, or by another tab: nobody here will hear of it, so the server is asked.
  const isElsewhere = /sending|waiting/.test(intent.state) && !mutation.isPending
  useEffect(() => {
    if (!isElsewhere) return
    // What it throws says that the server cannot be asked now; there is a next time.
    const timer = setInterval(() => void resolve().catch(() => undefined), FOLLOW_EVERY_MS)
    return () => clearInterval(timer)
  }, [isElsewhere, resolve])

  // Also where another tab settled it, or a look-up did.
  const isSettled = intent.state === 'succeeded' || intent.state === 'rejected'
  useEffect(() => {
    if (!isSettled) return
    void queryClient.invalidateQueries({ queryKey: queries.order(order.id).queryKey })
    void queryClient.invalidateQueries({ queryKey: queries.orders().queryKey })
  }, [isSettled, order.id, queries, queryClient])

  const cardKey = `card:${order.id}`
  function send(card: Card) {
    remember(cardKey, card)
    const { amount, currency } = order.total
    mutation.mutate({ order: order.id, amount, currency, paymentMethod: card })
  }

  async function ask(question: () => Promise<void>): Promise<boolean> {
    setQuestion('asking')
    finding.current = undefined
    try {
      await question()
      setQuestion('none')
      return true
    } catch {
      setQuestion('failed')
      return false
    }
  }

  return {
    phase: phaseOf(intent, mutation),
    intent,
    question,
    /** What would be sent now is not what was sent: the order costs something else. */
    hasChanged: mutation.error instanceof IntentError && mutation.error.code === 'OUTCOME_UNKNOWN',
    /** Nothing was sent, for a reason of this browser: its record of the payment cannot be kept or read. */
    hasNotBegun: /none|loading/.test(intent.state) && mutation.isError,
    pay(card: Card) {
      setQuestion('none')
      send(card)
    },
    /**
     * Looks up what became of it. Where that settles nothing the same payment goes out again under its
     * key, which charges once however often it is sent.
     */
    async checkAgain() {
      const hasAnswer = await ask(mutation.resolve)
      const card = CARDS.find(each => each === recall(cardKey))
      if (
        hasAnswer &&
        card &&
        intent.state === 'unknown' &&
        OPEN_FINDINGS.includes(finding.current)
      )
        send(card)
    },
    /** Has the server burn the key, so that another card may pay. */
    async payDifferently() {
      if ((await ask(mutation.fence)) && finding.current === 'running') setQuestion('too-late')
    },
  }
}

function phaseOf(
  { state, reason }: Pick<IntentView, 'state' | 'reason'>,
  { isPaused, isPending }: { isPaused: boolean; isPending: boolean },
): PaymentPhase {
  if (state === 'succeeded') return reason === 'order-already-paid' ? 'already-paid' : 'paid'
  if (isPaused) return 'paused'
  // Written down, and never sent: nothing of it is under way.
  if (state === 'ready') return isPending ? 'waiting' : 'choose'
  return state === 'none' || state === 'loading' || state === 'rejected' ? 'choose' : state
}
