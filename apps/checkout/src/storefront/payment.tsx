import type { Order } from '@query-retry/checkout-api'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLanguage } from '../language/language.tsx'
import { formatMoney } from './money.ts'
import { Notice } from './notice.tsx'
import './payment.css'
import { isPayment, PaymentReceipt } from './payment-receipt.tsx'
import { CARDS, type Card, usePayment } from './use-payment.ts'

type Paying = ReturnType<typeof usePayment>

/** The till: what the person may do about this order's payment follows from what is known of it. */
export function Payment({ order }: { order: Order }) {
  const { language, messages } = useLanguage()
  const words = messages.payment
  const paying = usePayment(order)
  const { intent, phase } = paying
  const heading = useRef<HTMLHeadingElement>(null)
  const section = useRef<HTMLElement>(null)
  const lastPhase = useRef(phase)

  useEffect(() => {
    if (lastPhase.current === phase) return
    lastPhase.current = phase
    // Whoever just pressed a button that is gone now goes on from what came of it.
    const focused = document.activeElement
    if (focused === document.body || section.current?.contains(focused)) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [phase])

  if (order.status !== 'open' && phase === 'choose') return null
  const { title, text } = explain(paying, words, formatMoney(order.total, language))
  return (
    <section
      ref={section}
      className="payment"
      data-phase={phase}
      data-refused={intent.state === 'rejected'}
      aria-labelledby="payment"
      aria-busy={phase === 'sending' || phase === 'waiting'}
    >
      <div role="status" className="payment__news">
        <h2 id="payment" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {text && <p>{text}</p>}
      </div>
      {actionsOf(paying, order)}
    </section>
  )
}

function actionsOf(paying: Paying, order: Order): ReactNode {
  switch (paying.phase) {
    case 'choose':
      return <CardForm order={order} paying={paying} />
    case 'unknown':
    case 'expired':
    case 'conflict':
      return <Doubt paying={paying} />
    case 'paid':
      return isPayment(paying.intent.result) && <PaymentReceipt payment={paying.intent.result} />
    case 'already-paid':
      return null
    case 'paused':
      // The news says it; the notice would say it again.
      return <div className="payment__progress" aria-hidden="true" />
    default:
      return (
        <>
          <div className="payment__progress" aria-hidden="true" />
          <Notice result={paying.mutation} />
        </>
      )
  }
}

/** Three test cards and the button. Another submit while one runs joins it, by Enter as by click. */
function CardForm({ order, paying }: { order: Order; paying: Paying }) {
  const { language, messages } = useLanguage()
  const words = messages.payment
  const [card, setCard] = useState<Card>('card_ok')
  return (
    <form
      className="payment__form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        paying.pay(card)
      }}
    >
      <fieldset className="cards">
        <legend>{words.cards}</legend>
        {CARDS.map(each => (
          <label key={each} className={`card card--${each}`}>
            <input
              type="radio"
              name="card"
              value={each}
              checked={each === card}
              onChange={() => setCard(each)}
            />
            <span className="card__chip" aria-hidden="true" />
            <span className="card__name">{words.cardNames[each]}</span>
            <span className="card__hint">{words.cardHints[each]}</span>
          </label>
        ))}
      </fieldset>
      <button type="submit" className="button payment__pay">
        {words.pay(formatMoney(order.total, language))}
      </button>
    </form>
  )
}

/** Never "pay again": asking is safe, and another card comes after the server has burnt this key. */
function Doubt({ paying }: { paying: Paying }) {
  const words = useLanguage().messages.payment
  const { intent, phase, question } = paying
  const isAsking = question === 'asking'
  const problem = question === 'none' && paying.hasChanged ? 'changed' : question
  const note = problem === 'none' || problem === 'asking' ? '' : words.questions[problem]
  return (
    <>
      <p className="payment__ways">
        <button
          type="button"
          className="button"
          aria-disabled={isAsking}
          onClick={() => {
            if (!isAsking) void paying.checkAgain()
          }}
        >
          {isAsking ? words.checking : words.checkAgain}
        </button>
        {phase !== 'conflict' && (
          <button
            type="button"
            className="button button--quiet"
            aria-disabled={isAsking}
            onClick={() => {
              if (!isAsking) void paying.payDifferently()
            }}
          >
            {words.payDifferently}
          </button>
        )}
      </p>
      <p className="payment__note" role="status">
        {note}
      </p>
      <p className="payment__number">
        {words.supportNumber} <code>{intent.key}</code>
      </p>
    </>
  )
}

function explain(
  { phase, intent, hasNotBegun }: Paying,
  words: ReturnType<typeof useLanguage>['messages']['payment'],
  amount: string,
): { title: string; text?: string | undefined } {
  if (phase === 'paid' && !isPayment(intent.result)) return { title: words.phases.paid.title }
  if (phase !== 'choose') return words.phases[phase]
  if (hasNotBegun) return words.notBegun
  if (intent.state !== 'rejected') return { title: words.title(amount) }
  return words.refusals[intent.reason ?? ''] ?? words.refused
}
