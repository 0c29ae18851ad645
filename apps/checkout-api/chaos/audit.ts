import type { Evidence, KeyRecord } from './evidence.ts'
import { groupBy } from './group-by.ts'

/**
 * What has to be true when everything has settled, checked against sources that know nothing of one
 * another: the shop's database, the provider's ledger, what clients were told, and what the
 * processes printed. Pure functions over plain data.
 */

/** One violation of one rule; the rules are the functions below. */
export interface Violation {
  kind: ViolationKind
  /** For people: which order or key, and what does not fit. */
  detail: string
}

export const VIOLATION_KINDS = [
  'captured-twice',
  'paid-without-capture',
  'captured-without-payment',
  'wrong-amount',
  'two-answers',
  'completed-twice',
  'refused-key-captured',
  'wrong-payload-executed',
  'unsettled-key',
  'unsettled-charge',
  'unsettled-order',
  'unsettled-client',
  'key-in-log',
  'unexpected',
] as const

export type ViolationKind = (typeof VIOLATION_KINDS)[number]

/** Every violation there is; none is what the run is for. */
export function audit(evidence: Evidence): Violation[] {
  return [
    ...findCapturedTwice(evidence),
    ...findPaidWithoutCapture(evidence),
    ...findCapturedWithoutPayment(evidence),
    ...findWrongAmounts(evidence),
    ...findTwoAnswers(evidence),
    ...findCompletedTwice(evidence),
    ...findRefusedKeysCaptured(evidence),
    ...findWrongPayloadsExecuted(evidence),
    ...findUnsettled(evidence),
    ...findKeysInLines(evidence),
    ...evidence.surprises,
  ]
}

/** Nobody pays an order twice, whatever the shop believes. */
export function findCapturedTwice({ ledger }: Pick<Evidence, 'ledger'>): Violation[] {
  return [...groupBy(ledger.filter(isCaptured), charge => charge.reference)]
    .filter(([, charges]) => charges.length > 1)
    .map(([order, charges]) =>
      violation('captured-twice', `${order}: ${charges.map(({ id }) => id).join(', ')}`),
    )
}

export function findPaidWithoutCapture({
  orders,
  ledger,
}: Pick<Evidence, 'orders' | 'ledger'>): Violation[] {
  const captured = new Set(ledger.filter(isCaptured).map(charge => charge.reference))
  return orders
    .filter(order => order.status === 'paid' && !captured.has(order.id))
    .map(order => violation('paid-without-capture', order.id))
}

/** Every capture is on the shop's books: the order paid, and a captured charge of that very id. */
export function findCapturedWithoutPayment({
  orders,
  charges,
  ledger,
}: Pick<Evidence, 'orders' | 'charges' | 'ledger'>): Violation[] {
  const paid = new Set(orders.filter(({ status }) => status === 'paid').map(({ id }) => id))
  const booked = new Map(charges.filter(isCaptured).map(row => [row.providerChargeId, row.order]))
  return ledger
    .filter(isCaptured)
    .filter(({ id, reference }) => !paid.has(reference) || booked.get(id) !== reference)
    .map(({ id, reference }) => violation('captured-without-payment', `${reference}: ${id}`))
}

export function findWrongAmounts({
  orders,
  ledger,
}: Pick<Evidence, 'orders' | 'ledger'>): Violation[] {
  const owed = new Map(orders.map(order => [order.id, `${order.amount} ${order.currency}`]))
  return ledger
    .filter(isCaptured)
    .map(charge => ({ charge, taken: `${charge.amount} ${charge.currency}` }))
    .filter(({ charge, taken }) => owed.get(charge.reference) !== taken)
    .map(({ charge: { reference, id }, taken }) =>
      violation('wrong-amount', `${reference}: ${taken} by ${id}, owed ${owed.get(reference)}`),
    )
}

/** All that anybody was told about a key is one answer, and it is the one that is stored. */
export function findTwoAnswers({
  answers,
  records,
}: Pick<Evidence, 'answers' | 'records'>): Violation[] {
  const told = answers.map(answer => ({
    name: nameOf(answer),
    answer: `${answer.status} ${answer.bodySha256.slice(0, 12)}`,
    by: `told by ${answer.via}`,
  }))
  const names = new Set(told.map(({ name }) => name))
  const stored = records
    .filter(record => names.has(nameOf(record)))
    .map(record => ({
      name: nameOf(record),
      answer: `${record.status} ${record.bodySha256?.slice(0, 12)}`,
      by: 'stored',
    }))
  const known = new Set(stored.map(({ name }) => name))
  const lost = [...names].filter(name => !known.has(name))
  const differing = [...groupBy([...told, ...stored], ({ name }) => name)]
    .map(([name, all]) => ({ name, kinds: groupBy(all, ({ answer }) => answer) }))
    .filter(({ kinds }) => kinds.size > 1)
    .map(({ name, kinds }) => {
      const parts = [...kinds].map(([answer, [first]]) => `${answer} (${first?.by})`)
      return violation('two-answers', `${name}: ${parts.join(' | ')}`)
    })
  return [
    ...differing,
    ...lost.map(name => violation('two-answers', `${name}: answered, and nothing is stored`)),
  ]
}

/** Of all requests under a key one completes it, even where another would say the same. */
export function findCompletedTwice({ answers }: Pick<Evidence, 'answers'>): Violation[] {
  const completions = answers.filter(({ isCompletion }) => isCompletion)
  return [...groupBy(completions, nameOf)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => violation('completed-twice', `${name}: ${all.length} times`))
}

/** Who was told that a key paid nothing can rely on it. */
export function findRefusedKeysCaptured({
  answers,
  records,
}: Pick<Evidence, 'answers' | 'records'>): Violation[] {
  const refused = new Map(
    answers.filter(({ status }) => status !== 201).map(answer => [nameOf(answer), answer.status]),
  )
  for (const record of records) {
    if (record.status !== null && record.status !== 201) refused.set(nameOf(record), record.status)
  }
  return records
    .filter(record => record.isCaptured && refused.has(nameOf(record)))
    .map(record =>
      violation(
        'refused-key-captured',
        `${nameOf(record)}: answered ${refused.get(nameOf(record))}`,
      ),
    )
}

export function findWrongPayloadsExecuted({
  records,
  plannedKeys,
}: Pick<Evidence, 'records' | 'plannedKeys'>): Violation[] {
  const right = new Map(plannedKeys.map(planned => [nameOf(planned), sorted(planned.request)]))
  return records
    .filter(
      record => record.request !== null && sorted(record.request) !== right.get(nameOf(record)),
    )
    .map(record =>
      violation('wrong-payload-executed', `${nameOf(record)}: ${sorted(record.request)}`),
    )
}

/** Nothing is half done, every order is paid, and every client that stayed has its answer. */
export function findUnsettled({
  records,
  plannedKeys,
  charges,
  orders,
  clients,
}: Pick<Evidence, 'records' | 'plannedKeys' | 'charges' | 'orders' | 'clients'>): Violation[] {
  const insisted = new Set(plannedKeys.filter(key => key.isInsisted).map(nameOf))
  const isOpen = (record: KeyRecord) =>
    // A key that has begun nothing may wait for a client who left; what has begun may not.
    record.phase === 'claimed' && !record.willResume
      ? insisted.has(nameOf(record))
      : record.phase !== 'done'
  return [
    ...records
      .filter(isOpen)
      .map(record => violation('unsettled-key', `${nameOf(record)}: ${record.phase}`)),
    ...charges
      .filter(({ status }) => status === 'pending')
      .map(({ order }) => violation('unsettled-charge', order)),
    ...orders
      .filter(({ status }) => status !== 'paid')
      .map(({ id, status }) => violation('unsettled-order', `${id}: ${status}`)),
    ...clients
      .filter(({ end }) => end === 'gave-up')
      .map(({ client }) => violation('unsettled-client', client)),
  ]
}

/** Who reads a log must not be able to ask for somebody's answers, nor to repeat a charge. */
export function findKeysInLines({
  lines,
  records,
  plannedKeys,
}: Pick<Evidence, 'lines' | 'records' | 'plannedKeys'>): Violation[] {
  const secrets = new Set([
    ...plannedKeys.map(({ key }) => key),
    ...records.map(({ effectKey }) => effectKey),
  ])
  // Word by word, as thousands of keys times thousands of lines would take minutes.
  return lines
    .filter(line => line.split(/[^\w-]+/).some(word => secrets.has(word)))
    .map(line => violation('key-in-log', line))
}

function violation(kind: ViolationKind, detail: string): Violation {
  return { kind, detail }
}

function isCaptured({ status }: { status: string }): boolean {
  return status === 'captured'
}

/** The same key of two principals is two keys. */
function nameOf({ principal, key }: { principal: string; key: string }): string {
  return `${principal} ${key}`
}

/** JSON with its members in order: the database keeps them in another. */
function sorted(value: unknown): string {
  return JSON.stringify(value, Object.keys(Object(value)).sort())
}
