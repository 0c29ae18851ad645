import type { ShopRoute } from '../shop-routes.ts'

/** How a call ended: a status, what a fault did instead, `abandoned` by the client, or null: not yet. */
export type CallAnswer = number | 'closed' | 'hung' | 'lost' | 'cut' | 'abandoned' | null

export interface Call {
  /** Path and query as they came; where a parameter of the path is secret, its name and no query. */
  readonly target: string
  readonly receivedAtEpochMs: number
  /** The same instant on a clock that nobody sets; only differences mean something. */
  readonly receivedAtMs: number
  answer: CallAnswer
}

export interface OperationCalls {
  route: ShopRoute
  count: number
  /** The calls still kept, oldest first. */
  calls: Call[]
}

export interface CallReport {
  routes: Record<string, { count: number }>
  /** By method and path, for example `GET /orders/ord_1001` or `GET /payments/by-key/:key`. */
  operations: Record<string, OperationCalls>
  /** Calls that were counted but whose details made room for newer ones. */
  droppedCalls: number
}

const MOST_CALLS = 5_000
const MOST_OPERATIONS = 500
const LONGEST_TEXT = 200

/**
 * Counts what arrives, by the server's own clock, so that a demo or a test can say how a client
 * spread its calls.
 *
 * Bounded: the details of the newest 5,000 calls and the counts of the newest 500 operations are
 * kept. Counts per route are exact for ever.
 */
export class CallLog {
  #routes = new Map<ShopRoute, number>()
  #operations = new Map<string, OperationCalls>()
  #order: OperationCalls[] = []
  #dropped = 0

  /** @param path - without secrets: what is recorded here is shown to whoever asks */
  record(route: ShopRoute, method: string, path: string, query: string): Call {
    this.#routes.set(route, (this.#routes.get(route) ?? 0) + 1)
    const call: Call = {
      target: (path + query).slice(0, LONGEST_TEXT),
      receivedAtEpochMs: Date.now(),
      receivedAtMs: performance.now(),
      answer: null,
    }
    const operation = this.#operationOf(route, `${method} ${path}`.slice(0, LONGEST_TEXT))
    operation.count += 1
    operation.calls.push(call)
    this.#order.push(operation)
    if (this.#order.length > MOST_CALLS) this.#dropOldest()
    return call
  }

  report(routes: readonly ShopRoute[]): CallReport {
    return {
      routes: Object.fromEntries(
        routes.map(route => [route, { count: this.#routes.get(route) ?? 0 }]),
      ),
      operations: Object.fromEntries(this.#operations),
      droppedCalls: this.#dropped,
    }
  }

  reset(): void {
    this.#routes = new Map()
    this.#operations = new Map()
    this.#order = []
    this.#dropped = 0
  }

  #operationOf(route: ShopRoute, name: string): OperationCalls {
    const known = this.#operations.get(name)
    const operation = known ?? { route, count: 0, calls: [] }
    // Set again at the end: the map's order is the order of last use.
    this.#operations.delete(name)
    this.#operations.set(name, operation)
    if (this.#operations.size > MOST_OPERATIONS) {
      for (const [oldest, { calls }] of this.#operations) {
        this.#operations.delete(oldest)
        this.#dropped += calls.length
        calls.length = 0
        break
      }
    }
    return operation
  }

  #dropOldest(): void {
    // An operation that was itself dropped has no calls left, and its place in the order is spent.
    if (this.#order.shift()?.calls.shift()) this.#dropped += 1
  }
}
