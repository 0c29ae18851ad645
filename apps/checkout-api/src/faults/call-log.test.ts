import { describe, expect, it } from 'vitest'
import { CallLog } from './call-log.ts'

describe('CallLog', () => {
  it('keeps the newest 5,000 calls and counts all 7,000', () => {
    const log = new CallLog()
    for (let call = 0; call < 7_000; call++) log.record('cart', 'GET', '/cart', `?n=${call}`)

    const { routes, operations, droppedCalls } = log.report(['cart'])

    expect(routes.cart).toEqual({ count: 7_000 })
    expect(operations['GET /cart']?.count).toBe(7_000)
    expect(operations['GET /cart']?.calls).toHaveLength(5_000)
    expect(operations['GET /cart']?.calls[0]?.target).toBe('/cart?n=2000')
    expect(droppedCalls).toBe(2_000)
  })

  it('keeps the 500 operations used last, however many paths a client invents', () => {
    const log = new CallLog()
    log.record('cart', 'GET', '/cart', '')
    for (let order = 0; order < 20_000; order++) {
      log.record('order', 'GET', `/orders/${order}`, '')
      if (order % 100 === 0) log.record('cart', 'GET', '/cart', '')
    }

    const { routes, operations } = log.report(['cart', 'order'])

    expect(routes.order).toEqual({ count: 20_000 })
    expect(Object.keys(operations)).toHaveLength(500)
    expect(operations['GET /cart']?.count).toBe(201)
    const kept = Object.values(operations).flatMap(operation => operation.calls)
    expect(kept.length).toBeLessThanOrEqual(5_000)
  })

  it('cuts a path of 100,000 characters', () => {
    const log = new CallLog()
    log.record('order', 'GET', `/orders/${'x'.repeat(100_000)}`, '')

    expect(JSON.stringify(log.report(['order'])).length).toBeLessThan(1_000)
  })
})
