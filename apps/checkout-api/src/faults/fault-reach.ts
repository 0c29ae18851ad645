import * as v from 'valibot'

/** Long enough for any demo, short enough for a timer (2^31 - 1 ms is the end of those). */
const LONGEST_MS = 600_000
const MOST_CALLS = 1_000_000

const accepts = {
  calls: `a whole number from 1 to ${MOST_CALLS}`,
  share: 'a number from 0 to 1',
  ms: `a whole number from 1 to ${LONGEST_MS}`,
}

/** The words for what a field accepts are the messages of its schema, and end up in the answer. */
export function wholeNumber(accepted: string, min: number, max: number) {
  return v.pipe(
    v.number(accepted),
    v.integer(accepted),
    v.minValue(min, accepted),
    v.maxValue(max, accepted),
  )
}

/** What a fault may take in time. */
export const milliseconds = { accepted: accepts.ms, schema: wholeNumber(accepts.ms, 1, LONGEST_MS) }

/** Which calls suffer: the next `calls`, a `share` of them, or all; `forMs` ends it by the clock. */
export const reach = {
  calls: v.optional(wholeNumber(accepts.calls, 1, MOST_CALLS)),
  share: v.optional(
    v.pipe(v.number(accepts.share), v.minValue(0, accepts.share), v.maxValue(1, accepts.share)),
  ),
  forMs: v.optional(milliseconds.schema),
}

/** A count says exactly which calls, a share leaves it to a draw. */
export function hasOneReach(fault: { calls?: number; share?: number }): boolean {
  return fault.calls === undefined || fault.share === undefined
}
