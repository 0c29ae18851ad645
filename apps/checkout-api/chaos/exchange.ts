import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

export interface ExchangeRequest {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: unknown
  /** Hangs up this long after the request has gone out. */
  hangsUpAfterMs?: number | undefined
}

/** What came of one request, seen from the client's end of the wire. */
export type Exchange =
  | {
      kind: 'answered'
      status: number
      headers: IncomingMessage['headers']
      body: Buffer
      tookMs: number
    }
  /** We hung up first. The request went out all the same. */
  | { kind: 'hung-up' }
  /** Nobody listens: the request went nowhere. */
  | { kind: 'unreachable' }
  /** The connection ended without a whole answer; what became of the request nobody knows. */
  | { kind: 'broken' }

const PATIENCE_MS = 8_000

/** Sends one request on a connection of its own. Never rejects. */
export async function exchange(wanted: ExchangeRequest): Promise<Exchange> {
  const startedAtMs = performance.now()
  const payload = wanted.body === undefined ? undefined : JSON.stringify(wanted.body)
  const outgoing = request(wanted.url, {
    method: wanted.method,
    agent: false,
    headers: {
      ...wanted.headers,
      ...(payload !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(payload)),
      }),
    },
  })
  let hasHungUp = false
  let hangUp: NodeJS.Timeout | undefined
  const patience = setTimeout(() => outgoing.destroy(), PATIENCE_MS)
  outgoing.once('finish', () => {
    if (wanted.hangsUpAfterMs === undefined) return
    hangUp = setTimeout(() => {
      hasHungUp = true
      outgoing.destroy()
    }, wanted.hangsUpAfterMs)
  })
  outgoing.end(payload)
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    return {
      kind: 'answered',
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: Buffer.concat(chunks),
      tookMs: performance.now() - startedAtMs,
    }
  } catch (error) {
    if (hasHungUp) return { kind: 'hung-up' }
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return { kind: code === 'ECONNREFUSED' ? 'unreachable' : 'broken' }
  } finally {
    clearTimeout(patience)
    clearTimeout(hangUp)
    outgoing.on('error', () => undefined)
    outgoing.destroy()
  }
}
