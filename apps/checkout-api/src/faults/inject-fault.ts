import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Next } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { answerProblem } from '../problem.ts'
import type { Call } from './call-log.ts'
import type { Fault } from './fault.ts'
import { formatRetryAfter } from './retry-after.ts'

/** A route's context, with Node's own response behind it: some faults are below HTTP. */
export type NodeContext = Context<{ Bindings: HttpBindings }>

/**
 * Does to this call what the fault says, and notes it as the call's answer.
 *
 * @param next - the route itself, for the faults that spoil a right answer
 * @param closing - ends what would otherwise outlive the server: hung and slow calls
 */
export async function injectFault(
  fault: Fault,
  context: NodeContext,
  next: Next,
  call: Call,
  closing: AbortSignal,
): Promise<void> {
  const { outgoing } = context.env
  switch (fault.kind) {
    case 'status':
      context.res = answerStatus(context, fault)
      return
    case 'close':
      call.answer = 'closed'
      break
    case 'hang':
      call.answer = 'hung'
      await untilGone(outgoing, closing)
      break
    case 'slow':
      await untilGone(outgoing, closing, fault.delayMs)
      if (!closing.aborted && !outgoing.destroyed) return next()
      call.answer ??= 'closed'
      break
    case 'lost-answer':
      await next()
      call.answer ??= 'lost'
      break
    case 'cut-body':
      await next()
      call.answer = 'cut'
      await sendHalf(context.res, outgoing)
      break
    case 'cut-json': {
      await next()
      call.answer = 'cut'
      const body = await context.res.arrayBuffer()
      // Assigned, not returned: after next() Hono ignores what a middleware returns.
      context.res = new Response(body.slice(0, body.byteLength / 2), context.res)
      return
    }
  }
  outgoing.destroy()
  context.res = RESPONSE_ALREADY_SENT
}

function answerStatus(
  context: NodeContext,
  { status, retryAfter }: Extract<Fault, { kind: 'status' }>,
): Response {
  if (retryAfter) context.header('Retry-After', formatRetryAfter(retryAfter, Date.now()))
  return answerProblem(context, {
    type: 'injected-fault',
    status: status as ContentfulStatusCode,
    title: STATUS_CODES[status] ?? `Status ${status}`,
    detail: 'A fault switch of the demo answered in place of the shop.',
  })
}

/** Waits until the client has gone, the server closes, or `limitMs` is over. */
export function untilGone(
  outgoing: ServerResponse,
  closing: AbortSignal,
  limitMs?: number,
): Promise<void> {
  return new Promise(resolve => {
    if (outgoing.destroyed || closing.aborted) return resolve()
    const timer = limitMs === undefined ? undefined : setTimeout(stop, limitMs)
    outgoing.on('close', stop)
    closing.addEventListener('abort', stop)

    function stop() {
      clearTimeout(timer)
      outgoing.off('close', stop)
      closing.removeEventListener('abort', stop)
      resolve()
    }
  })
}

/** The whole answer's length and half of its bytes; the caller ends the connection. */
async function sendHalf(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'Content-Length': String(body.byteLength),
  })
  // Once the half is handed to the system: destroying earlier could swallow the headers as well.
  await new Promise<void>(resolve =>
    outgoing.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => resolve()),
  )
}
