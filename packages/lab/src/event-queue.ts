import TinyQueue from 'tinyqueue'

/** Something that happens at an instant of virtual time. Both fields are the queue's to set. */
export interface Scheduled {
  atMs: number
  /** How many were scheduled before it. */
  order: number
}

/**
 * What is still to happen, earliest first; of one instant, in the order in which it was scheduled.
 *
 * The second half of that makes a simulation replayable, and is what a plain heap does not promise.
 */
export class EventQueue<Event extends Scheduled> {
  readonly #heap = new TinyQueue<Event>([], (a, b) => a.atMs - b.atMs || a.order - b.order)
  #scheduled = 0

  /** @param event - in the queue at most once at a time */
  schedule(event: Event, atMs: number): void {
    event.atMs = atMs
    event.order = this.#scheduled++
    this.#heap.push(event)
  }

  /** Takes the next event out, or nothing where there is none up to and including `untilMs`. */
  next(untilMs = Infinity): Event | undefined {
    const event = this.#heap.peek()
    return event && event.atMs <= untilMs ? this.#heap.pop() : undefined
  }
}
