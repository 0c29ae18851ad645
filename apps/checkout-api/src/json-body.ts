import type { Context, MiddlewareHandler } from 'hono'
import type * as v from 'valibot'
import { checkInput, type InputWords } from './check-input.ts'
import { answerProblem, type FieldError } from './problem.ts'

const LARGEST_BODY_BYTES = 16_384

/**
 * Goes in front of a route that reads a body: more than 16 KiB of it is answered with 413, and one
 * that does not say how long it is with 411, so that nothing has to be read to be refused.
 */
export function limitBody(): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.header('Transfer-Encoding') !== undefined) {
      return answerProblem(context, {
        type: 'length-required',
        status: 411,
        title: 'The body does not say how long it is',
        detail: 'Send a Content-Length; chunked bodies are not accepted here.',
      })
    }
    if (Number(context.req.header('Content-Length') ?? 0) <= LARGEST_BODY_BYTES) return next()
    return answerProblem(context, {
      type: 'body-too-large',
      status: 413,
      title: 'The body is too large',
      detail: `accepted: at most ${LARGEST_BODY_BYTES} bytes`,
    })
  }
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

/**
 * The body checked by a schema, or what is wrong with it.
 *
 */
export async function readInput<Schema extends v.GenericSchema>(
  context: Context,
  schema: Schema,
  words: InputWords,
): Promise<{ ok: true; value: v.InferOutput<Schema> } | { ok: false; errors: FieldError[] }> {
  const body = await readJsonBody(context)
  if (body !== undefined) return checkInput(schema, body, words)
  return { ok: false, errors: [{ field: 'body', value: 'not JSON', accepted: words.whole }] }
}
