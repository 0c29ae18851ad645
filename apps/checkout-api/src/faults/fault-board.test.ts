import { describe, expect, it } from 'vitest'
import { FaultBoard } from './fault-board.ts'

describe('FaultBoard', () => {
  it('shares the count of a fault on all routes among them', () => {
    const board = new FaultBoard()
    board.set('all', { kind: 'close', calls: 2 })

    expect(board.take('cart')?.kind).toBe('close')
    expect(board.take('orders')?.kind).toBe('close')
    expect(board.take('cart')).toBeUndefined()
  })

  it("puts a route's own fault before the one for all routes, until it is used up", () => {
    const board = new FaultBoard()
    board.set('all', { kind: 'close' })
    board.set('cart', { kind: 'hang', calls: 1 })

    expect(board.take('cart')?.kind).toBe('hang')
    expect(board.take('cart')?.kind).toBe('close')
  })

  it("never lets the fault for all routes hit a call that the route's own share spared", () => {
    const board = new FaultBoard(() => 0.5)
    board.set('all', { kind: 'close' })
    board.set('cart', { kind: 'hang', share: 0.4 })

    expect(board.take('cart')).toBeUndefined()
  })

  it('hits no call at share 0 and every call at share 1, at both ends of the draw', () => {
    for (const draw of [0, 1 - Number.EPSILON]) {
      const board = new FaultBoard(() => draw)
      board.set('cart', { kind: 'close', share: 0 })
      expect(board.take('cart')).toBeUndefined()
      board.set('cart', { kind: 'close', share: 1 })
      expect(board.take('cart')?.kind).toBe('close')
    }
  })

  it('ends a fault forMs after it was set, and says what is left until then', () => {
    let nowMs = 1_000
    const board = new FaultBoard(undefined, () => nowMs)
    board.set('orders', { kind: 'close', forMs: 500 })

    nowMs = 1_499
    expect(board.find('orders')).toEqual({ kind: 'close', forMs: 500, remainingMs: 1 })
    expect(board.take('orders')?.kind).toBe('close')
    nowMs = 1_500
    expect(board.take('orders')).toBeUndefined()
    expect(board.find('orders')).toBeUndefined()
  })

  it('replaces a fault that was half used', () => {
    const board = new FaultBoard()
    board.set('cart', { kind: 'close', calls: 2 })
    board.take('cart')
    board.set('cart', { kind: 'hang', calls: 2 })

    expect(board.find('cart')).toEqual({ kind: 'hang', calls: 2 })
  })
})
