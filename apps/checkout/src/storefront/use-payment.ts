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

/** In these states the same payment may go out again, whoever sent it. */
const UNSETTLED = /sending|waiting|unknown/

/** With these it is known what became of it. */
const ENDS: readonly KeyFinding[] = ['succeeded', 'rejected', 'burnt']

const FOLLOW_EVERY_MS = 1_000

/** So often a payment of another tab is looked for that has not reached the server. */
const PATIENT_LOOKS = 5

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
  const [followed, setFollowed] = useState<'not' | 'now' | 'in vain'>('not')
  const isOpen = mutation.isIdle ? UNSETTLED : /sending|waiting/
  const openElsewhere = !mutation.isPending && isOpen.test(intent.state) && intent.state
  useEffect(() => {
    if (!openElsewhere) return
    setFollowed('now')
    // A tab that is busy may be about to send it. One in the background may be for hours.
    const patientLooks = openElsewhere === 'unknown' ? 0 : PATIENT_LOOKS
    const stop = followWhileRunning(resolve, patientLooks, () => setFollowed('in vain'))
    return () => {
      stop()
      setFollowed('not')
    }
  }, [openElsewhere, resolve])

  // The tab that is at it cannot be waited for, and nothing keeps this one from asking for the same.
  const inVain = followed === 'in vain' && !mutation.isPending && UNSETTLED.test(intent.state)

  // Too late to call it off: the person asked for an end, and gets to see it.
  const isAwaited = question === 'too-late' && intent.state === 'unknown'
  useEffect(() => {
    if (!isAwaited) return
    return followWhileRunning(resolve, 0, finding => {
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
    phase: followed === 'now' ? 'sending' : inVain ? 'unknown' : phaseOf(intent, mutation),
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
      if (finding && card && UNSETTLED.test(intent.state) && OPEN_FINDINGS.includes(finding)) {
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
 * @param patientLooks - so often also where the server has not heard of it
 * @param onEnd gets what the server said last; undefined where it could not be asked
 * @returns stops it
 */
function followWhileRunning(
  resolve: () => Promise<{ finding: KeyFinding } | undefined>,
  patientLooks: number,
  onEnd: (finding: KeyFinding | undefined) => void,
): () => void {
  let isGone = false
  async function follow() {
    for (let looks = 1; !isGone; looks++) {
      // What it throws says that the server cannot be asked now; the person may.
      const finding = await resolve().then(
        answer => answer?.finding,
        () => undefined,
      )
      const isToCome = finding === 'not-found' && looks < patientLooks
      if (finding !== 'running' && !isToCome) {
        if (!isGone) onEnd(finding)
        return
      }
      await new Promise(next => setTimeout(next, FOLLOW_EVERY_MS))
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
  // Asked for, and not written down yet: what the record says is of the time before.
  if (isPending && /none|loading|rejected/.test(state)) return 'sending'
  // Written down, and never sent: nothing of it is under way.
  if (state === 'ready') return isPending ? 'waiting' : 'choose'
  return state === 'none' || state === 'loading' || state === 'rejected' ? 'choose' : state
}
