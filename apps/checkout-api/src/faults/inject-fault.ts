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
): Promise<Response | undefined> {
  const { outgoing } = context.env
  switch (fault.kind) {
    case 'status':
      return answerStatus(context, fault)
    case 'close':
      call.answer = 'closed'
      outgoing.destroy()
      return RESPONSE_ALREADY_SENT
    case 'hang':
      call.answer = 'hung'
      await untilGone(outgoing, closing)
      outgoing.destroy()
      return RESPONSE_ALREADY_SENT
    case 'slow': {
      await untilGone(outgoing, AbortSignal.any([closing, AbortSignal.timeout(fault.delayMs)]))
      if (closing.aborted || outgoing.destroyed) {
        outgoing.destroy()
        return RESPONSE_ALREADY_SENT
      }
      await next()
      return undefined
    }
    case 'cut-body':
      await next()
      call.answer = 'cut'
      await sendHalf(context.res, outgoing)
      return RESPONSE_ALREADY_SENT
    case 'cut-json': {
      await next()
      call.answer = 'cut'
      const body = await context.res.arrayBuffer()
      return new Response(body.slice(0, body.byteLength / 2), context.res)
    }
  }
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

/** Waits until the client has gone or the signal says to stop. */
function untilGone(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (outgoing.destroyed || signal.aborted) return resolve()
    const stop = () => {
      outgoing.off('close', stop)
      signal.removeEventListener('abort', stop)
      resolve()
    }
    outgoing.on('close', stop)
    signal.addEventListener('abort', stop)
  })
}

/** The whole answer's length, half of its bytes, and no more. */
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
  outgoing.destroy()
}
