import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Violation } from './audit.ts'
import type { ClientEnd, ToldAnswer } from './evidence.ts'
import { type Exchange, type ExchangeRequest, exchange } from './exchange.ts'
import { type ClientPlan, type OrderPlan, planLaterAttempt } from './plan.ts'
import type { Attempt, Card } from './situations.ts'
import { doomWorker, type Supervisor } from './supervisor.ts'
import type { Tally } from './tally.ts'

/** What all clients of a run share. */
export interface World {
  seed: number
  supervisor: Supervisor
  /** Ends the workers' connections to the database. @returns how many */
  disconnectAll: () => Promise<number>
  tokens: ReadonlyMap<string, string>
  tally: Tally
  /** A client that has no answer after this long gives up, which is a violation. */
  patienceMs: number
  answers: ToldAnswer[]
  surprises: Violation[]
}

export interface PaymentBody {
  order: string
  amount: number
  currency: string
  paymentMethod: Card
}

/** A run has no time for what servers ask for: a second of theirs is this long. */
const SECOND_MS = 200
const WITHOUT_WORD_MS = 60
const WORKER_IS_COMING_MS = 20
/** How often a client asks whether the right request has come before it sends the wrong one. */
const LOOKS_FOR_RIGHT = 40

/** One client under one key: sends the same payment again and again until it has the key's answer. */
export class Client {
  readonly #world: World
  readonly #plan: ClientPlan
  readonly #principal: string
  readonly #key: string
  readonly #body: PaymentBody
  /** Of an attempt that did not get as far as its fault: the next one takes it over. */
  #unspentFault: string | undefined

  constructor(world: World, order: OrderPlan, key: { key: string; card: Card }, plan: ClientPlan) {
    this.#world = world
    this.#plan = plan
    this.#principal = order.principal
    this.#key = key.key
    this.#body = paymentBody(order, key.card)
  }

  async run(): Promise<ClientEnd['end']> {
    const { name, attempts, leaves, startsAfterMs, asksAgainAfterMs } = this.#plan
    await sleep(startsAfterMs)
    const givesUpAtMs = performance.now() + this.#world.patienceMs
    for (let index = 0; performance.now() < givesUpAtMs; index += 1) {
      if (leaves && index >= attempts.length && this.#unspentFault === undefined) return 'left'
      const attempt = attempts[index] ?? planLaterAttempt(this.#world.seed, name, index)
      const exchanged = await this.#act(attempt)
      if (exchanged === 'settled') {
        if (asksAgainAfterMs !== undefined) await this.#askAgain(attempt, asksAgainAfterMs)
        return 'answered'
      }
      await sleep(pauseAfter(exchanged) * attempt.pauseRatio)
    }
    return 'gave-up'
  }

  #act(attempt: Attempt): Promise<Exchange | 'settled'> {
    switch (attempt.action) {
      case 'pay':
        return this.#pay(attempt)
      case 'look-up':
        return this.#askState(attempt, 'GET', 'look-up')
      case 'fence':
        return this.#askState(attempt, 'POST', 'fence')
      case 'wrong-payload':
        return this.#payWrongly(attempt)
    }
  }

  async #pay(attempt: Attempt): Promise<Exchange | 'settled'> {
    const faultAt = attempt.faultAt ?? this.#unspentFault
    const sent = await this.#send(attempt, 'payment', {
      method: 'POST',
      path: '/payments',
      body: this.#body,
      ...(faultAt && { faultAt }),
    })
    this.#unspentFault = faultAt && hasSpared(sent, faultAt) ? faultAt : undefined
    if (sent.kind !== 'answered') return sent
    if (sent.headers['idempotency-status'] !== undefined) {
      this.#note(
        'payment',
        sent.status,
        sent.body,
        sent.headers['idempotency-status'] === 'completed',
      )
      return 'settled'
    }
    // Not the key's answer: the server asks to come again. Anything else nobody should be told here.
    if (sent.status !== 409 && sent.status !== 503) this.#beSurprised('payment', sent)
    this.#world.tally.add(`asked to come again: ${describe(sent)}`)
    return sent
  }

  /** Sends another request under its own key, once the right one is known to have come. */
  async #payWrongly(attempt: Attempt): Promise<Exchange | 'settled'> {
    for (let look = 0; look < LOOKS_FOR_RIGHT; look += 1) {
      const state = await this.#send(attempt, 'look-up', { method: 'GET', path: this.#keyPath })
      if (state.kind === 'answered' && state.status === 200) break
      if (look === LOOKS_FOR_RIGHT - 1) return state
      await sleep(WORKER_IS_COMING_MS)
    }
    const body: PaymentBody =
      attempt.pauseRatio < 1
        ? { ...this.#body, amount: this.#body.amount + 1 }
        : { ...this.#body, paymentMethod: 'card_expired' }
    const sent = await this.#send(attempt, 'wrong payload', {
      method: 'POST',
      path: '/payments',
      body,
    })
    if (sent.kind !== 'answered') return sent
    if (sent.status === 422) this.#world.tally.add('wrong payload refused')
    else if (sent.status < 500) this.#beSurprised('wrong payload', sent)
    return sent
  }

  async #askState(
    attempt: Attempt,
    method: 'GET' | 'POST',
    via: 'look-up' | 'fence',
  ): Promise<Exchange | 'settled'> {
    const { tally } = this.#world
    const path = via === 'fence' ? `${this.#keyPath}/fence` : this.#keyPath
    const sent = await this.#send(attempt, via, { method, path })
    if (sent.kind !== 'answered') return sent
    if (sent.status !== 200) {
      if (sent.status !== 404 && sent.status !== 503) this.#beSurprised(via, sent)
      return sent
    }
    const known = JSON.parse(sent.body.toString())
    tally.add(`${via} found: ${known.state}`)
    if (known.state !== 'done') return sent
    // A look-up gives the stored JSON within JSON; written out again, it is the same bytes.
    const body = Buffer.from(JSON.stringify(known.answer.body))
    this.#note(via, known.answer.status, body)
    if (via === 'fence' && slugOf(body) === 'key-fenced') tally.add('fenced')
    return 'settled'
  }

  async #askAgain(attempt: Attempt, afterMs: number): Promise<void> {
    await sleep(afterMs)
    const again = { method: 'POST', path: '/payments', body: this.#body } as const
    const sent = await this.#send({ ...attempt, hangsUpAfterMs: undefined }, 'payment', again)
    if (sent.kind !== 'answered' || sent.status === 503) return
    if (sent.headers['idempotency-status'] === 'replayed')
      this.#note('payment', sent.status, sent.body)
    else this.#beSurprised('payment asked for again', sent)
  }

  async #send(
    { worker: place, hangsUpAfterMs }: Attempt,
    what: string,
    wanted: {
      method: ExchangeRequest['method']
      path: string
      body?: PaymentBody
      faultAt?: string
    },
  ): Promise<Exchange> {
    const { supervisor, tokens, tally } = this.#world
    const worker = supervisor.worker(place)
    if (!worker) return { kind: 'unreachable' }
    const { method, path, body, faultAt } = wanted
    const doom = faultAt ? doomWorker(worker, faultAt) : undefined
    const sent = await exchange({
      url: worker.url + path,
      method,
      headers: {
        Authorization: `Bearer ${tokens.get(this.#principal)}`,
        ...(body && { 'Idempotency-Key': this.#key }),
        ...(faultAt && { 'Fault-At': faultAt }),
      },
      body,
      hangsUpAfterMs,
    })
    if (sent.kind === 'answered' || sent.kind === 'unreachable') doom?.lift()
    if (sent.kind === 'answered' && faultAt && hasFrozen(faultAt, sent.tookMs))
      tally.add(faultAt.replace(/:.*/, ''))
    tally.add(`${what}: ${sent.kind === 'answered' ? describe(sent) : sent.kind}`)
    tally.add(`requests: ${what}`)
    if (sent.kind === 'hung-up') tally.add('lost response')
    return sent
  }

  get #keyPath(): string {
    return `/payments/by-key/${encodeURIComponent(this.#key)}`
  }

  #note(via: ToldAnswer['via'], status: number, body: Buffer, isCompletion = false): void {
    const bodySha256 = createHash('sha256').update(body).digest('hex')
    const [principal, key] = [this.#principal, this.#key]
    this.#world.answers.push({ principal, key, via, status, bodySha256, isCompletion })
    this.#world.tally.add(`answer: ${status} ${slugOf(body)}`)
  }

  #beSurprised(what: string, sent: Extract<Exchange, { kind: 'answered' }>): void {
    this.#world.surprises.push({
      kind: 'unexpected',
      detail: `${this.#plan.name}: ${what} was answered with ${describe(sent)}`,
    })
  }
}

export function paymentBody(order: OrderPlan, card: Card): PaymentBody {
  const { id, amount, currency } = order
  return { order: id, amount, currency, paymentMethod: card }
}

function hasSpared(sent: Exchange, faultAt: string): boolean {
  if (sent.kind === 'answered') return !hasFrozen(faultAt, sent.tookMs)
  // A frozen worker still answers: who broke the connection died of something else.
  return sent.kind === 'unreachable' || (sent.kind === 'broken' && faultAt.startsWith('freeze'))
}

/** Only who got as far as the checkpoint took that long. */
function hasFrozen(faultAt: string, tookMs: number): boolean {
  const [, freezeMs] = /^freeze@.+:(\d+)$/.exec(faultAt) ?? []
  return freezeMs !== undefined && tookMs >= Number(freezeMs)
}

function pauseAfter(sent: Exchange): number {
  if (sent.kind !== 'answered') return WITHOUT_WORD_MS
  const seconds = Number(sent.headers['retry-after'])
  return seconds > 0 ? seconds * SECOND_MS : WITHOUT_WORD_MS
}

function describe({ status, body }: { status: number; body: Buffer }): string {
  return `${status} ${slugOf(body)}`.trim()
}

/** The last word of a problem's type; nothing for what is none. */
function slugOf(body: Buffer): string {
  const [, slug] = /"type":"[^"]*\/([\w-]+)"/.exec(body.toString()) ?? []
  return slug ?? ''
}
