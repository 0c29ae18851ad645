import type { Order, PaymentRequest } from '@query-retry/checkout-api'
import {
  IntentError,
  type IntentView,
  type KeyFinding,
  useIdempotentMutation,
} from '@query-retry/react'
import { useEffect, useState } from 'react'
import { recall, remember } from '../remembered.ts'
import { useShop } from '../shop.ts'

export type Card = PaymentRequest['paymentMethod']

export const CARDS: readonly Card[] = ['card_ok', 'card_declined', 'card_expired']

/** After these the same payment may go out once more, under its key: nobody has settled it. */
const OPEN_FINDINGS: readonly KeyFinding[] = ['not-found', 'waiting', 'running']

/** With these it is known what became of it. */
const ENDS: readonly KeyFinding[] = ['succeeded', 'rejected', 'burnt']

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
  const [question, setQuestion] = useState<'none' | 'asking' | 'failed' | 'too-late' | 'no-news'>(
    'none',
  )
  const mutation = useIdempotentMutation(options)
  const { intent, resolve } = mutation

  // Begun by another tab, or by a page that is gone: nobody here will hear of it, so the server is asked.
  const [isFollowed, setIsFollowed] = useState(false)
  const isOpen = mutation.isIdle ? /sending|waiting|unknown/ : /sending|waiting/
  const openElsewhere = !mutation.isPending && isOpen.test(intent.state) && intent.state
  useEffect(() => {
    if (!openElsewhere) return
    setIsFollowed(true)
    const stop = followWhileRunning(resolve, () => setIsFollowed(false))
    return () => {
      stop()
      setIsFollowed(false)
    }
  }, [openElsewhere, resolve])

  // Too late to call it off: the person asked for an end, and gets to see it.
  const isAwaited = question === 'too-late' && intent.state === 'unknown'
  useEffect(() => {
    if (!isAwaited) return
    return followWhileRunning(resolve, finding => {
      if (finding) setQuestion(ENDS.includes(finding) ? 'none' : 'no-news')
      else setQuestion('failed')
    })
  }, [isAwaited, resolve])

  // Also where another tab settled it, or a look-up did.
  const isSettled = intent.state === 'succeeded' || intent.state === 'rejected'
  useEffect(() => {
    if (!isSettled) return
    // Known already, also while the order cannot be read again: no "awaiting payment" beside a receipt.
    if (intent.state === 'succeeded') {
      queryClient.setQueryData(queries.order(order.id).queryKey, known =>
        known?.status === 'open' ? { ...known, status: 'paid' as const } : known,
      )
    }
    void queryClient.invalidateQueries({ queryKey: queries.order(order.id).queryKey })
    void queryClient.invalidateQueries({ queryKey: queries.orders().queryKey })
  }, [isSettled, intent.state, order.id, queries, queryClient])

  const cardKey = `card:${order.id}`
  function send(card: Card) {
    remember(cardKey, card)
    const { amount, currency } = order.total
    mutation.mutate({ order: order.id, amount, currency, paymentMethod: card })
  }

  /** @returns what the server said of the key; undefined where it could not be asked */
  async function ask(inquire: typeof resolve): Promise<KeyFinding | undefined> {
    setQuestion('asking')
    try {
      const answer = await inquire()
      setQuestion(answer && ENDS.includes(answer.finding) ? 'none' : 'no-news')
      return answer?.finding
    } catch {
      setQuestion('failed')
      return undefined
    }
  }

  return {
    phase: isFollowed ? 'sending' : phaseOf(intent, mutation),
    intent,
    /** For the notice: what this page has sent, and is waiting for. */
    mutation,
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
      const finding = await ask(mutation.resolve)
      const card = CARDS.find(each => each === recall(cardKey))
      if (finding && card && intent.state === 'unknown' && OPEN_FINDINGS.includes(finding)) {
        setQuestion('none')
        send(card)
      }
    },
    /** Has the server burn the key, so that another card may pay. */
    async payDifferently() {
      if ((await ask(mutation.fence)) === 'running') setQuestion('too-late')
    },
  }
}

/**
 * Looks up every second what became of it, as long as the server says that it is under way.
 *
 * @param onEnd gets what the server said last; undefined where it could not be asked
 * @returns stops it
 */
function followWhileRunning(
  resolve: () => Promise<{ finding: KeyFinding } | undefined>,
  onEnd: (finding: KeyFinding | undefined) => void,
): () => void {
  let isGone = false
  async function follow() {
    for (let finding: KeyFinding | undefined = 'running'; finding === 'running' && !isGone; ) {
      // What it throws says that the server cannot be asked now; the person may.
      finding = await resolve().then(
        answer => answer?.finding,
        () => undefined,
      )
      if (finding === 'running') await new Promise(next => setTimeout(next, FOLLOW_EVERY_MS))
      else if (!isGone) onEnd(finding)
    }
  }
  void follow()
  return () => {
    isGone = true
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
