import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { answerProblem } from './problem.ts'

const LARGEST_BODY_BYTES = 16_384

/** Goes in front of a route that reads a body: more than 16 KiB of it is answered with 413. */
export function limitBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: LARGEST_BODY_BYTES,
    onError: context =>
      answerProblem(context, {
        type: 'body-too-large',
        status: 413,
        title: 'The body is too large',
        detail: `accepted: at most ${LARGEST_BODY_BYTES} bytes`,
      }),
  })
}

/** The body as JSON. Undefined, which JSON does not have, means that it is none. */
export async function readJsonBody(context: Context): Promise<unknown> {
  const text = await context.req.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
