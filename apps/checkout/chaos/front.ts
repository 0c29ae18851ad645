import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Draws,
  doomWorker,
  type Supervisor,
  type Tally,
  WORKERS,
  type Worker,
} from '@query-retry/checkout-api/chaos'
import type { Chronicle } from './chronicle.ts'
import type { SeenRequest, ToldAnswer } from './evidence.ts'
import { type CheckoutPlan, planRequest, type RunPlan } from './plan.ts'
import type { RequestFault, RequestKind } from './request-faults.ts'

/** An answer of the server's, or one that the front makes up. */
interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

interface Parcel {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface FrontOptions {
  plan: RunPlan
  supervisor: Supervisor
  tally: Tally
  chronicle: Chronicle
}

const GATEWAY_TIMEOUT_MS = 50
/** Of one connection only: they say nothing of the next. */
const HOP_HEADERS = /^(connection|keep-alive|transfer-encoding|content-length|host)$/
const CROSS_ORIGIN_HEADERS = /^access-control-/
const PAGE = '<!doctype html><title>Please sign in</title><p>Welcome to this network.'

/**
 * What stands between the browsers and the workers, as proxies, networks and load balancers do: it
 * hands requests on, or does to them what the plan says, and writes down what it saw. It knows nothing
 * of what the clients think.
 *
 * The address names checkout and device, so that a request says whose it is.
 */
export class Front {
  readonly #options: FrontOptions
  readonly #server: Server
  readonly #plans: ReadonlyMap<string, CheckoutPlan>
  readonly #counts = new Map<string, { requests: number; payments: number }>()
  readonly #calm = new Set<string>()
  /** Devices that were told that they are not logged in. */
  readonly #loggedOut = new Set<string>()
  readonly requests: SeenRequest[] = []

  private constructor(options: FrontOptions) {
    this.#options = options
    this.#plans = new Map(options.plan.checkouts.map(checkout => [checkout.name, checkout]))
    this.#server = createServer((incoming, outgoing) => {
      this.#answer(incoming, outgoing).catch(() => outgoing.destroy())
    })
  }

  static async start(options: FrontOptions): Promise<Front> {
    const front = new Front(options)
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    return front
  }

  addressFor(checkout: string, device: string): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/${checkout}/${device}`
  }

  /** From now on nothing happens to this checkout's requests. */
  calm(checkout: string): void {
    this.#calm.add(checkout)
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, checkout = '', device = '', path = ''] =
      /^\/([\w-]+)\/([\w-]+)(\/.*)$/.exec(incoming.url ?? '') ?? []
    const plan = this.#plans.get(checkout)
    if (!plan) return void outgoing.writeHead(404).end()
    const { method = 'GET', headers } = incoming
    const parcel = { method, path, headers, body: await readAll(incoming) }
    // Of the browser's own, and not a request of the page.
    if (method === 'OPTIONS') return deliver(outgoing, await this.#forward(parcel, checkout))

    const seen = this.#note(plan, device, parcel)
    const fault = this.#faultFor(plan, seen)
    seen.fault = fault?.kind
    const answer = fault
      ? await this.#spoil(fault, parcel, seen, outgoing)
      : await this.#forward(parcel, checkout)
    if (answer !== 'settled') {
      if (!answer && !fault) seen.fault = 'worker-gone'
      deliver(outgoing, answer)
      if (answer) seen.told = readTold(seen.kind, answer)
    }
    this.#tell(seen)
  }

  #note(plan: CheckoutPlan, device: string, { method, path, headers, body }: Parcel): SeenRequest {
    const kind = kindOf(method, path)
    const seen: SeenRequest = {
      checkout: plan.name,
      device,
      kind,
      key: keyOf(path, headers['idempotency-key']),
      order: kind === 'pay' ? orderOf(body) : undefined,
      isCalm: this.#calm.has(plan.name),
    }
    this.requests.push(seen)
    return seen
  }

  #faultFor(plan: CheckoutPlan, { kind, isCalm, device }: SeenRequest): RequestFault | undefined {
    const counts = this.#counts.get(plan.name) ?? { requests: 0, payments: 0 }
    this.#counts.set(plan.name, counts)
    const index = counts.requests++
    if (isCalm) return undefined
    if (kind === 'pay' && device === 'first') {
      const first = plan.firstFaults[counts.payments++]
      if (first) return first
    }
    return planRequest(this.#options.plan.seed, plan.name, index, kind)
  }

  /** @returns the answer to deliver; undefined: none, the connection ends; `settled`: all is done */
  async #spoil(
    fault: RequestFault,
    parcel: Parcel,
    seen: SeenRequest,
    outgoing: ServerResponse,
  ): Promise<Answer | undefined | 'settled'> {
    const { checkout } = seen
    const origin = parcel.headers.origin as string | undefined
    const refuse = (status: number, headers = {}) =>
      ownAnswer(origin, status, 'text/plain', '', headers)
    switch (fault.kind) {
      case 'cut-off':
        return undefined
      case 'bad-gateway':
        return refuse(502)
      case 'unavailable':
        return refuse(503, { 'retry-after': '1' })
      case 'too-many':
        return refuse(429, { 'retry-after': '1' })
      case 'login-page':
        return ownAnswer(origin, 200, 'text/html', PAGE)
      case 'answer-lost':
        await this.#forward(parcel, checkout)
        return undefined
      case 'answer-cut': {
        const answer = await this.#forward(parcel, checkout)
        if (answer) await deliverHalf(outgoing, answer)
        outgoing.destroy()
        // Status and headers came in whole.
        if (answer && seen.kind === 'pay') seen.told = readTold(seen.kind, answer)
        return 'settled'
      }
      case 'gateway-timeout':
        void this.#forward(parcel, checkout)
        await sleep(GATEWAY_TIMEOUT_MS)
        return refuse(504)
      case 'unreadable': {
        const answer = await this.#forward(parcel, checkout)
        if (answer)
          deliver(outgoing, { ...answer, headers: without(CROSS_ORIGIN_HEADERS, answer.headers) })
        else outgoing.destroy()
        return 'settled'
      }
      case 'late-answer': {
        const [answer] = await Promise.all([this.#forward(parcel, checkout), sleep(fault.delayMs)])
        return answer
      }
      case 'late-request':
        void sleep(fault.delayMs).then(() => this.#forward(parcel, checkout))
        return undefined
      case 'twice': {
        const again = this.#forward(parcel, checkout)
        return (await this.#forward(parcel, checkout)) ?? again
      }
      case 'logged-out':
        return this.#forward(
          { ...parcel, headers: { ...parcel.headers, authorization: 'Bearer of-yesterday' } },
          checkout,
        )
      case 'freeze':
      case 'crash':
        return this.#forward(parcel, checkout, fault.faultAt)
    }
  }

  /** @returns undefined where no whole answer came */
  async #forward(parcel: Parcel, checkout: string, faultAt?: string): Promise<Answer | undefined> {
    const { supervisor, plan } = this.#options
    const draws = new Draws(plan.seed, checkout, 'worker', this.requests.length)
    const place = draws.between(0, WORKERS - 1)
    const worker = supervisor.worker(place) ?? supervisor.worker((place + 1) % WORKERS)
    if (!worker) return undefined
    const doom = faultAt?.startsWith('crash') ? doomWorker(worker, faultAt) : undefined
    const headers = { ...parcel.headers, ...(faultAt && { 'fault-at': faultAt }) }
    const answer = await send(worker, { ...parcel, headers })
    if (answer) doom?.lift()
    return answer
  }

  #tell({ checkout, device, kind, key, fault, told }: SeenRequest): void {
    const { tally, chronicle } = this.#options
    const name = `${checkout}/${device}`
    const answer = told ? [told.status, told.state].filter(Boolean).join(' ') : 'no answer'
    tally.add(`requests: ${kind}`)
    if (fault) tally.add(`fault: ${fault}`)
    if (told?.status === 401) this.#loggedOut.add(name)
    if (kind === 'login' && told?.status === 201 && this.#loggedOut.delete(name)) {
      tally.add('happened: logged in again')
    }
    const underKey = key ? ` under ${key.slice(0, 8)}` : ''
    chronicle.note(
      checkout,
      `${device}: ${kind}${underKey}: ${answer}${fault ? ` (${fault})` : ''}`,
    )
  }
}

function kindOf(method: string, path: string): RequestKind {
  if (path === '/session') return 'login'
  if (path.endsWith('/fence')) return 'fence'
  return method === 'GET' ? 'look-up' : 'pay'
}

function keyOf(path: string, header: string | string[] | undefined): string | undefined {
  const [, inPath] = /^\/payments\/by-key\/([^/]+)/.exec(path) ?? []
  if (inPath) return decodeURIComponent(inPath)
  return header === undefined ? undefined : String(header).replace(/^"|"$/g, '')
}

function orderOf(body: Buffer): string | undefined {
  return (JSON.parse(body.toString()) as { order?: string }).order
}

/** What a device can learn from this answer about a key. */
function readTold(kind: RequestKind, { status, headers, body }: Answer): ToldAnswer {
  const isOwn = headers['idempotency-status'] !== undefined
  if (kind === 'login' || kind === 'pay' || status !== 200) return { status, isOwn }
  try {
    const { state, answer } = JSON.parse(body.toString()) as {
      state: string
      answer?: { status: number }
    }
    return { status: answer?.status ?? status, isOwn: state === 'done', state }
  } catch {
    return { status, isOwn: false }
  }
}

function ownAnswer(
  origin: string | undefined,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Answer {
  return {
    status,
    headers: {
      'content-type': type,
      'access-control-expose-headers': 'Retry-After',
      ...(origin && { 'access-control-allow-origin': origin }),
      ...headers,
    },
    body: Buffer.from(body),
  }
}

async function send(worker: Worker, { method, path, headers, body }: Parcel) {
  const outgoing = request(worker.url + path, {
    method,
    agent: false,
    headers: { ...without(HOP_HEADERS, headers), 'content-length': body.length },
  })
  outgoing.end(body)
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const answer: Answer = {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: await readAll(incoming),
    }
    return answer
  } catch {
    return undefined
  } finally {
    outgoing.on('error', () => undefined)
    outgoing.destroy()
  }
}

function deliver(outgoing: ServerResponse, answer: Answer | undefined): void {
  if (!answer) return void outgoing.destroy()
  const { status, headers, body } = answer
  outgoing.writeHead(status, { ...without(HOP_HEADERS, headers), 'content-length': body.length })
  outgoing.end(body)
}

async function deliverHalf(outgoing: ServerResponse, { status, headers, body }: Answer) {
  outgoing.writeHead(status, { ...without(HOP_HEADERS, headers), 'content-length': body.length })
  const half = body.subarray(0, Math.floor(body.length / 2))
  // Destroyed earlier, it could swallow the headers as well.
  await new Promise<void>(resolve => outgoing.write(half, () => resolve()))
}

function without(names: RegExp, headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)))
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
