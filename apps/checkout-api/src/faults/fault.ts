import * as v from 'valibot'
import type { FieldError } from '../problem.ts'

/** Long enough for any demo, short enough for a timer (2^31 - 1 ms is the end of those). */
const LONGEST_MS = 600_000
const LONGEST_RETRY_AFTER_SECONDS = 31_536_000
const MOST_CALLS = 1_000_000

function wholeNumber(min: number, max: number) {
  const accepted = `a whole number from ${min} to ${max}`
  return v.pipe(
    v.number(accepted),
    v.integer(accepted),
    v.minValue(min, accepted),
    v.maxValue(max, accepted),
  )
}

const shareAccepted = 'a number from 0 to 1'

/** Which calls suffer: the next `calls`, a `share` of them, or all; `forMs` ends it by the clock. */
const reach = {
  calls: v.optional(wholeNumber(1, MOST_CALLS)),
  share: v.optional(
    v.pipe(v.number(shareAccepted), v.minValue(0, shareAccepted), v.maxValue(1, shareAccepted)),
  ),
  forMs: v.optional(wholeNumber(1, LONGEST_MS)),
}

const formAccepted = '"seconds" or "date"'
const retryAfterAccepted = 'an object { form: "seconds" | "date", seconds: number }'

const retryAfter = v.strictObject(
  {
    form: v.picklist(['seconds', 'date'], formAccepted),
    seconds: wholeNumber(0, LONGEST_RETRY_AFTER_SECONDS),
  },
  retryAfterAccepted,
)

const NOT_BOTH = 'calls or share, not both'

const faultSchema = v.pipe(
  v.variant(
    'kind',
    [
      v.strictObject({
        kind: v.literal('status'),
        status: wholeNumber(400, 599),
        retryAfter: v.optional(retryAfter),
        ...reach,
      }),
      v.strictObject({ kind: v.literal('close'), ...reach }),
      v.strictObject({ kind: v.literal('hang'), ...reach }),
      v.strictObject({ kind: v.literal('slow'), delayMs: wholeNumber(1, LONGEST_MS), ...reach }),
      v.strictObject({ kind: v.literal('cut-body'), ...reach }),
      v.strictObject({ kind: v.literal('cut-json'), ...reach }),
    ],
    '"status", "close", "hang", "slow", "cut-body" or "cut-json"',
  ),
  v.forward(
    v.check(fault => fault.calls === undefined || fault.share === undefined, NOT_BOTH),
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
): { ok: true; fault: Fault } | { ok: false; errors: FieldError[] } {
  const result = v.safeParse(faultSchema, input, { abortPipeEarly: true })
  if (result.success) return { ok: true, fault: result.output }
  return { ok: false, errors: result.issues.map(toFieldError) }
}

function toFieldError(issue: v.BaseIssue<unknown>): FieldError {
  const field = v.getDotPath(issue) ?? 'body'
  // An unknown key is reported as the key that was expected to be absent.
  const isUnknownKey = issue.type === 'strict_object' && issue.expected === 'never'
  return {
    field: field.slice(0, 100),
    value: issue.received.slice(0, 100),
    accepted: isUnknownKey ? 'no such field for this kind of fault' : issue.message,
  }
}
