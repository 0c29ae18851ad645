import * as v from 'valibot'
import { checkInput } from '../check-input.ts'
import type { FieldError } from '../problem.ts'

/** Long enough for any demo, short enough for a timer (2^31 - 1 ms is the end of those). */
const LONGEST_MS = 600_000
const LONGEST_RETRY_AFTER_SECONDS = 31_536_000
const MOST_CALLS = 1_000_000

/** The words for what a field accepts are the messages of its schema, and end up in the answer. */
function wholeNumber(accepted: string, min: number, max: number) {
  return v.pipe(
    v.number(accepted),
    v.integer(accepted),
    v.minValue(min, accepted),
    v.maxValue(max, accepted),
  )
}

const accepts = {
  kind: '"status", "close", "hang", "slow", "cut-body" or "cut-json"',
  status: 'a whole number from 400 to 599',
  calls: `a whole number from 1 to ${MOST_CALLS}`,
  share: 'a number from 0 to 1',
  ms: `a whole number from 1 to ${LONGEST_MS}`,
  retryAfter: 'an object { form: "seconds" | "date", seconds: number }',
  form: '"seconds" or "date"',
  seconds: `a whole number from 0 to ${LONGEST_RETRY_AFTER_SECONDS}`,
}

/** Which calls suffer: the next `calls`, a `share` of them, or all; `forMs` ends it by the clock. */
const reach = {
  calls: v.optional(wholeNumber(accepts.calls, 1, MOST_CALLS)),
  share: v.optional(
    v.pipe(v.number(accepts.share), v.minValue(0, accepts.share), v.maxValue(1, accepts.share)),
  ),
  forMs: v.optional(wholeNumber(accepts.ms, 1, LONGEST_MS)),
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
        { kind: v.literal('slow'), delayMs: wholeNumber(accepts.ms, 1, LONGEST_MS), ...reach },
        accepts.ms,
      ),
      v.strictObject({ kind: v.literal('cut-body'), ...reach }),
      v.strictObject({ kind: v.literal('cut-json'), ...reach }),
    ],
    accepts.kind,
  ),
  v.forward(
    v.check(
      fault => fault.calls === undefined || fault.share === undefined,
      'calls or share, not both',
    ),
    ['share'],
  ),
)

/**
 * What goes wrong with a call.
 *
 * - `status`: an error answer, with `Retry-After` in either of its forms or without
 * - `close`: the connection ends before the first byte of an answer
 * - `hang`: nothing ever comes
 * - `slow`: the right answer, `delayMs` late
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
