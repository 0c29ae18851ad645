import TinyQueue from 'tinyqueue'

/** Something that happens at an instant of virtual time, which is the queue's to set. */
export interface Scheduled {
  atMs: number
}

/** All that happens at one instant, in the order in which it was scheduled. */
interface Instant<Event> {
  atMs: number
  events: Event[]
  /** How many of them have been given out. */
  given: number
}

/**
 * What is still to happen, earliest first; of one instant, in the order in which it was scheduled. That order
 * makes a simulation replayable.
 *
 * The heap holds instants and not events: a herd's waits are whole milliseconds, so a million clients
 * share some ten thousand of them, and the heap stays small enough for the processor's cache.
 */
export class EventQueue<Event extends Scheduled> {
  readonly #heap = new TinyQueue<Instant<Event>>([], (a, b) => a.atMs - b.atMs)
  readonly #instants = new Map<number, Instant<Event>>()

  /** @param event - in the queue at most once at a time */
  schedule(event: Event, atMs: number): void {
    event.atMs = atMs
    const known = this.#instants.get(atMs)
    if (known) {
      known.events.push(event)
      return
    }
    const instant = { atMs, events: [event], given: 0 }
    this.#instants.set(atMs, instant)
    this.#heap.push(instant)
  }

  /** Takes the next event out, or nothing where there is none up to and including `untilMs`. */
  next(untilMs = Infinity): Event | undefined {
    const instant = this.#heap.peek()
    if (!instant || instant.atMs > untilMs) return undefined
    const event = instant.events[instant.given++]
    if (instant.given === instant.events.length) {
      this.#heap.pop()
      this.#instants.delete(instant.atMs)
    }
    return event
  }
}
