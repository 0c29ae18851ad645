import { type Answer, jsonAnswer, problemAnswer } from '../idempotency/answer.ts'
import type { Payment } from './payment.ts'

/** When the other charge of the order has had time to be decided. */
const ORDER_BUSY_SECONDS = 2

const linkToOrder = (order: string) => ({ Link: `</orders/${order}>; rel="related"` })

export function paid(payment: Payment): Answer {
  return jsonAnswer(201, payment, {
    Location: `/payments/${payment.id}`,
    ...linkToOrder(payment.order),
  })
}

export function declined(order: string, declineCode: string): Answer {
  return problemAnswer(
    {
      type: 'payment-declined',
      status: 402,
      title: 'The payment was declined',
      detail: 'Nothing was charged. Another card may pay this order, under a new idempotency key.',
      order,
      declineCode,
    },
    linkToOrder(order),
  )
}

/** @param payment - the one that paid it, where the shop has it on record */
export function orderAlreadyPaid(order: string, payment: string | undefined): Answer {
  return problemAnswer(
    {
      type: 'order-already-paid',
      status: 409,
      title: 'This order has been paid already',
      order,
      ...(payment !== undefined && { payment: `/payments/${payment}` }),
    },
    linkToOrder(order),
  )
}

/** Not final: the same key may ask again. */
export function orderBusy(order: string): Answer {
  return problemAnswer(
    {
      type: 'order-busy',
      status: 409,
      title: 'Another payment of this order is under way',
      detail: 'It was begun under another idempotency key. Nothing was charged under this one.',
      order,
    },
    { 'Retry-After': String(ORDER_BUSY_SECONDS) },
  )
}

export function orderNotFound(): Answer {
  return problemAnswer({ type: 'order-not-found', status: 404, title: 'There is no such order' })
}

export function orderCancelled(order: string): Answer {
  return problemAnswer(
    { type: 'order-cancelled', status: 409, title: 'This order was cancelled', order },
    linkToOrder(order),
  )
}

/** The page showed another sum than the order has; nobody is charged what they did not see. */
export function orderChanged(order: string, total: { amount: number; currency: string }): Answer {
  return problemAnswer(
    {
      type: 'order-changed',
      status: 409,
      title: 'The order costs something else than the payment says',
      detail: 'Nothing was charged. Show the new total, and pay it under a new idempotency key.',
      order,
      total,
    },
    linkToOrder(order),
  )
}
