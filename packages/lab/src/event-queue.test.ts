import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventQueue } from './event-queue.ts'

const event = (name: string) => ({ name, atMs: 0 })

describe('EventQueue', () => {
  it('gives the earliest event, and of one instant the one that was scheduled first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 60 }), instants => {
        const queue = new EventQueue<ReturnType<typeof event>>()
        for (const [index, atMs] of instants.entries()) queue.schedule(event(`${index}`), atMs)
        const expected = instants
          .map((atMs, index) => ({ atMs, name: `${index}` }))
          .sort((a, b) => a.atMs - b.atMs)
        for (const next of expected) expect(queue.next()).toMatchObject(next)
        expect(queue.next()).toBeUndefined()
      }),
    )
  })

  it('keeps that order where events are scheduled between, at the instant that is given out as well', () => {
    const queue = new EventQueue<ReturnType<typeof event>>()
    for (const name of ['a', 'b']) queue.schedule(event(name), 100)
    expect(queue.next()?.name).toBe('a')
    queue.schedule(event('c'), 100)
    queue.schedule(event('before'), 50)
    const rest = [queue.next(), queue.next(), queue.next()].map(next => next?.name)
    expect(rest).toEqual(['before', 'b', 'c'])
    queue.schedule(event('d'), 100)
    expect(queue.next()?.name).toBe('d')
    expect(queue.next()).toBeUndefined()
  })

  it('keeps what is later than untilMs', () => {
    const queue = new EventQueue<ReturnType<typeof event>>()
    queue.schedule(event('later'), 101)
    queue.schedule(event('in time'), 100)
    expect(queue.next(100)).toMatchObject({ name: 'in time' })
    expect(queue.next(100)).toBeUndefined()
    expect(queue.next()).toMatchObject({ name: 'later', atMs: 101 })
  })
})
