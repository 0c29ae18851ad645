import * as v from 'valibot'
import { checkInput } from '../check-input.ts'
import type { FieldError } from '../problem.ts'
import { hasOneReach, milliseconds, reach, wholeNumber } from './fault-reach.ts'

const LONGEST_RETRY_AFTER_SECONDS = 31_536_000

const accepts = {
  kind: '"status", "close", "hang", "slow", "lost-answer", "cut-body" or "cut-json"',
  status: 'a whole number from 400 to 599',
  retryAfter: 'an object { form: "seconds" | "date", seconds: number }',
  form: '"seconds" or "date"',
  seconds: `a whole number from 0 to ${LONGEST_RETRY_AFTER_SECONDS}`,
}

const retryAfter = v.strictObject(
  {
    form: v.picklist(['seconds', 'date'], accepts.form),
    seconds: wholeNumber(accepts.seconds, 0, LONGEST_RETRY_AFTER_SECONDS),
  },
  accepts.retryAfter,
)

// The second argument of strictObject answers for a field that is missing.
const faultSchema = v.pipe(
  v.variant(
    'kind',
    [
      v.strictObject(
        {
          kind: v.literal('status'),
          status: wholeNumber(accepts.status, 400, 599),
          retryAfter: v.optional(retryAfter),
          ...reach,
        },
        accepts.status,
      ),
      v.strictObject({ kind: v.literal('close'), ...reach }),
      v.strictObject({ kind: v.literal('hang'), ...reach }),
      v.strictObject(
        { kind: v.literal('slow'), delayMs: milliseconds.schema, ...reach },
        milliseconds.accepted,
      ),
      v.strictObject({ kind: v.literal('lost-answer'), ...reach }),
      v.strictObject({ kind: v.literal('cut-body'), ...reach }),
      v.strictObject({ kind: v.literal('cut-json'), ...reach }),
    ],
    accepts.kind,
  ),
  v.forward(
    v.check(fault => hasOneReach(fault), 'calls or share, not both'),
    ['share'],
  ),
)

/**
 * What goes wrong with a call.
 *
 * - `status`: an error answer, with `Retry-After` in either of its forms or without
 * - `close`: the connection ends before the first byte of an answer, and the route never runs
 * - `hang`: nothing ever comes
 * - `slow`: the right answer, `delayMs` late
 * - `lost-answer`: the route runs to its end and what it does is done, then the connection ends
 *   before the first byte of its answer
 * - `cut-body`: the right answer's status and length, then the connection ends half-way
 * - `cut-json`: a complete answer whose JSON stops half-way, as a broken proxy gives it
 */
export type Fault = v.InferOutput<typeof faultSchema>

/** Reads a fault from JSON, or says of every wrong field what would have been right. Never throws. */
export function parseFault(
  input: unknown,
): { ok: true; value: Fault } | { ok: false; errors: FieldError[] } {
  return checkInput(faultSchema, input, {
    whole: 'a fault as a JSON object',
    unknownField: 'no such field for this kind of fault',
  })
}
