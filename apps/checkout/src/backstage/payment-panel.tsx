import type { Charge } from '@query-retry/checkout-api'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useMatch } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { formatMoney } from '../storefront/money.ts'
import type { PaymentAnswer, SentPayment } from './payment-log.ts'
import './payment-panel.css'
import { TROUBLES } from './payment-trouble.ts'
import { usePaymentEvidence } from './use-payment-evidence.ts'

/** On the page of an order: the requests to pay it, the provider's ledger, and the count that matters. */
export function PaymentPanel() {
  const order = useMatch('/orders/:id')?.params.id
  return order && <OrderPanel order={order} />
}

function OrderPanel({ order }: { order: string }) {
  const { queries } = useShop()
  // The page asks for it; here it is only looked at.
  const { data } = useQuery({ ...queries.order(order), enabled: false })
  return data && <OrderEvidence order={order} isOpen={data.status === 'open'} />
}

function OrderEvidence({ order, isOpen }: { order: string; isOpen: boolean }) {
  const { sentPayments } = useShop()
  const words = useLanguage().messages.evidence
  const sent = useSyncExternalStore(sentPayments.subscribe, sentPayments.getSnapshot)
  const requests = sent.filter(entry => entry.order === order)
  const { charges, trouble, choose, wasRefused, isAdjustable } = usePaymentEvidence(order, sent)
  // Orders of before this demo were paid elsewhere.
  if (!isOpen && !requests.length && !charges?.length) return null

  return (
    <section className="evidence" aria-labelledby="evidence">
      <h3 id="evidence" className="backstage__title">
        {words.title}
      </h3>
      <ChargeCount charges={charges} />
      {isOpen && (
        <fieldset className="trouble" disabled={!isAdjustable}>
          <legend>{words.trouble}</legend>
          {TROUBLES.map(each => (
            <label key={each}>
              <input
                type="radio"
                name="trouble"
                value={each}
                checked={each === trouble}
                onChange={() => void choose(each)}
              />
              <span>{words.troubles[each]}</span>
            </label>
          ))}
          {wasRefused && <p role="status">{words.refused}</p>}
        </fieldset>
      )}
      <h4>{words.requests}</h4>
      {requests.length > 0 ? (
        <>
          <Requests requests={requests} />
          <p className="evidence__hint">{words.sameKey}</p>
        </>
      ) : (
        <p className="evidence__hint">{words.noRequests}</p>
      )}
      <h4>{words.ledger}</h4>
      {charges?.length ? (
        <LedgerLines charges={charges} />
      ) : (
        <p className="evidence__hint">{charges ? words.noCharges : words.verdicts.unknown}</p>
      )}
    </section>
  )
}

function ChargeCount({ charges }: { charges: readonly Charge[] | undefined }) {
  const words = useLanguage().messages.evidence
  const count = charges?.filter(({ status }) => status === 'captured').length
  const verdict =
    count === undefined ? 'unknown' : count > 1 ? 'twice' : count === 1 ? 'once' : 'none'
  return (
    <p className="charge-count" data-verdict={verdict}>
      <span className="charge-count__label">{words.charges}</span>
      <strong className="charge-count__number">{count ?? '–'}</strong>
      <span className="charge-count__verdict">{words.verdicts[verdict]}</span>
    </p>
  )
}

/** Distinct to the eye; beyond these they repeat, and the beginning of the key tells. */
const TONES = 5

function Requests({ requests }: { requests: readonly SentPayment[] }) {
  const words = useLanguage().messages.evidence
  const keys = [...new Set(requests.map(({ shortKey }) => shortKey))]
  return (
    <ol className="requests">
      {requests.map(({ kind, shortKey, attempt = 1, answer }, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests are only ever added at the end
        <li key={position} data-tone={keys.indexOf(shortKey) % TONES}>
          <code>{shortKey}</code>
          <span>{kind === 'pay' ? words.attempt(attempt) : words.questions[kind]}</span>
          <span className="requests__answer" data-answer={toneOf(answer)}>
            {answer.kind === 'status'
              ? words.status(answer.status, answer.isReplay)
              : words.answers[answer.kind]}
          </span>
        </li>
      ))}
    </ol>
  )
}

function toneOf(answer: PaymentAnswer): 'good' | 'bad' | 'none' {
  if (answer.kind !== 'status') return 'none'
  return answer.status < 400 ? 'good' : 'bad'
}

function LedgerLines({ charges }: { charges: readonly Charge[] }) {
  const { language, messages } = useLanguage()
  const words = messages.evidence
  return (
    <ol className="ledger">
      {charges.map(({ id, status, amount, currency, createdAt }) => (
        <li key={id} data-status={status}>
          <time dateTime={createdAt}>
            {new Date(createdAt).toLocaleTimeString(language, { timeStyle: 'medium' })}
          </time>
          <span className="ledger__status">{words.statuses[status]}</span>
          <span className="ledger__amount">{formatMoney({ amount, currency }, language)}</span>
        </li>
      ))}
    </ol>
  )
}
