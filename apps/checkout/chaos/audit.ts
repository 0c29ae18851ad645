import {
  findCapturedTwice,
  findCapturedWithoutPayment,
  findPaidWithoutCapture,
  findWrongAmounts,
  groupBy,
} from '@query-retry/checkout-api/chaos'
import type { DeviceEnd, Evidence, SeenRequest } from './evidence.ts'

/**
 * What has to be true when everybody has come back and everything has settled. What happened is taken
 * from the provider's ledger, the shop's database and the front; of the clients only what they showed
 * and what their journals held, which is what is judged. Pure functions over plain data.
 */

export interface Violation {
  /** `captured-twice` and what else both runs look for, or a rule of this file. */
  kind: string
  /** For people: which order or key, and what does not fit. */
  detail: string
  /** Whose story to tell with it. */
  checkout?: string | undefined
}

/** Every violation there is; none is what the run is for. */
export function audit(evidence: Evidence): Violation[] {
  const shared = [
    ...findCapturedTwice(evidence),
    ...findPaidWithoutCapture(evidence),
    ...findCapturedWithoutPayment(evidence),
    ...findWrongAmounts(evidence),
  ]
  const checkouts = new Map(evidence.ends.map(({ order, checkout }) => [order, checkout]))
  return [
    ...shared.map(found => ({
      ...found,
      checkout: checkouts.get(found.detail.split(':')[0] ?? ''),
    })),
    ...findLostPayments(evidence),
    ...findRefusedKeysCaptured(evidence),
    ...findUnshownCharges(evidence),
    ...findStuck(evidence),
    ...findChangedKeys(evidence),
    ...findKeysOfTwoOrders(evidence),
    ...evidence.surprises,
  ]
}

/** Whoever was shown that it is paid has paid: one capture, and the order says so. */
export function findLostPayments({
  ends,
  orders,
  ledger,
}: Pick<Evidence, 'ends' | 'orders' | 'ledger'>): Violation[] {
  const paid = new Set(orders.filter(({ status }) => status === 'paid').map(({ id }) => id))
  const captured = new Set(capturedOrders(ledger))
  return ends
    .filter(({ end, order }) => end === 'succeeded' && !(captured.has(order) && paid.has(order)))
    .map(end => violation('lost-payment', end, `${end.order}: shown as ${end.shown}`))
}

/** Whoever was told that a key charged nothing can rely on it, for every key that the journal gave up. */
export function findRefusedKeysCaptured({
  ends,
  records,
}: Pick<Evidence, 'ends' | 'records'>): Violation[] {
  const captured = new Set(records.filter(({ isCaptured }) => isCaptured).map(({ key }) => key))
  return ends.flatMap(end => {
    const refused = new Set(
      end.journal.filter(({ state }) => state === 'rejected').map(({ key }) => key),
    )
    return [...refused]
      .filter(key => captured.has(key))
      .map(key => violation('refused-key-captured', end, `${end.order}: ${key}`))
  })
}

/** An order that was charged is shown as paid, on some device of the one who pays. */
export function findUnshownCharges({
  ends,
  ledger,
}: Pick<Evidence, 'ends' | 'ledger'>): Violation[] {
  const shown = new Set(ends.filter(({ end }) => end === 'succeeded').map(({ order }) => order))
  const captured = new Set(capturedOrders(ledger))
  return ends
    .filter(({ order, device }) => device === 'first' && captured.has(order) && !shown.has(order))
    .map(end => violation('charged-unshown', end, `${end.order}: shown as ${end.shown}`))
}

/** Everybody who came back without any fault has come to an end, and so has every key of theirs. */
export function findStuck({
  ends,
  records,
  charges,
}: Pick<Evidence, 'ends' | 'records' | 'charges'>): Violation[] {
  const checkouts = new Map(ends.map(end => [end.order, end]))
  const of = (order: string | null) => checkouts.get(order ?? '') ?? { checkout: undefined }
  return [
    ...ends
      .filter(({ end }) => end === 'stuck')
      .map(end => violation('stuck', end, `${end.device}: shown as ${end.shown}`)),
    ...records
      .filter(({ phase }) => phase === 'started' || phase === 'review')
      .map(({ key, order, phase }) => violation('unsettled-key', of(order), `${key}: ${phase}`)),
    ...charges
      .filter(({ status }) => status === 'pending')
      .map(({ order }) => violation('unsettled-charge', of(order), order)),
  ]
}

/**
 * A device has another key for an order only when the one before can do nothing any more. By its
 * journal: that was settled as refused, or never sent. By the front: the refusal was told, or all that
 * was sent under it was turned away before the work.
 */
export function findChangedKeys({
  ends,
  requests,
}: Pick<Evidence, 'ends' | 'requests'>): Violation[] {
  const inJournals = ends.flatMap(end =>
    end.journal.flatMap((entry, index) => {
      const before = end.journal[index - 1]
      const isGivenUp =
        !before ||
        before.key === entry.key ||
        before.state === 'rejected' ||
        (before.state === 'ready' && before.dispatchCount === 0)
      const detail = `${end.order}: ${before?.key} was ${before?.state}, then ${entry.key}`
      return isGivenUp ? [] : [violation('changed-key', end, detail)]
    }),
  )
  const byDevice = groupBy(requests, ({ checkout, device }) => `${checkout} ${device}`)
  return [...inJournals, ...[...byDevice.values()].flatMap(findChangedKeysOnTheWire)]
}

function findChangedKeysOnTheWire(requests: readonly SeenRequest[]): Violation[] {
  const payments = requests.filter(({ kind }) => kind === 'pay')
  const found: Violation[] = []
  const keys = new Set<string | undefined>()
  for (const { key, order, checkout } of payments) {
    if (keys.has(key)) continue
    const earlier = requests.slice(
      0,
      requests.findIndex(request => request.key === key),
    )
    for (const other of keys) {
      const underOther = earlier.filter(request => request.key === other)
      if (underOther.some(isRefusal) || underOther.every(isTurnedAway)) continue
      found.push(violation('changed-key', { checkout }, `${order}: ${other}, then ${key}`))
    }
    keys.add(key)
  }
  return found
}

/** No key is used for two orders. */
export function findKeysOfTwoOrders({ requests }: Pick<Evidence, 'requests'>): Violation[] {
  const payments = requests.filter(({ kind, order }) => kind === 'pay' && order !== undefined)
  return [...groupBy(payments, ({ key }) => key ?? 'none')]
    .map(([key, all]) => ({ key, all, orders: new Set(all.map(({ order }) => order)) }))
    .filter(({ key, orders }) => orders.size > 1 || key === 'none')
    .map(({ key, all: [first], orders }) =>
      violation(
        'key-of-two-orders',
        { checkout: first?.checkout },
        `${key}: ${[...orders].join(', ')}`,
      ),
    )
}

function isRefusal({ told }: SeenRequest): boolean {
  return !!told?.isOwn && told.status >= 400
}

function isTurnedAway({ kind, told }: SeenRequest): boolean {
  return kind !== 'pay' || isTurnedAwayStatus(told?.status)
}

/** Who answers so has not done anything, whoever it is. */
function isTurnedAwayStatus(status = 0): boolean {
  return [401, 403, 429].includes(status)
}

function capturedOrders(ledger: Evidence['ledger']): string[] {
  return ledger.filter(({ status }) => status === 'captured').map(({ reference }) => reference)
}

function violation(
  kind: string,
  { checkout }: { checkout: DeviceEnd['checkout'] | undefined },
  detail: string,
): Violation {
  return { kind, checkout, detail }
}
