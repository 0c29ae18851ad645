import * as v from 'valibot'
import { checkInput } from '../check-input.ts'
import { hasOneReach, milliseconds, reach } from '../faults/fault-reach.ts'
import type { FieldError } from '../problem.ts'
import { reference } from './charge-request.ts'

const accepts = {
  kind: '"decline", "lost-before", "lost-after", "late-apply", "slow" or "down"',
  declineCode: '1 to 50 small letters and hyphens, for example "lost-card"',
}

/** A fault for one order's charges, or for everybody's. */
const aim = { reference: v.optional(reference), ...reach }

// The second argument of strictObject answers for a field that is missing.
const fault = v.pipe(
  v.variant(
    'kind',
    [
      v.strictObject({
        kind: v.literal('decline'),
        declineCode: v.optional(
          v.pipe(v.string(accepts.declineCode), v.regex(/^[a-z-]{1,50}$/, accepts.declineCode)),
          'insufficient-funds',
        ),
        ...aim,
      }),
      v.strictObject({ kind: v.literal('lost-before'), ...aim }),
      v.strictObject({ kind: v.literal('lost-after'), ...aim }),
      v.strictObject(
        { kind: v.literal('late-apply'), delayMs: milliseconds.schema, ...aim },
        milliseconds.accepted,
      ),
      v.strictObject(
        { kind: v.literal('slow'), delayMs: milliseconds.schema, ...aim },
        milliseconds.accepted,
      ),
      v.strictObject({ kind: v.literal('down'), ...aim }),
    ],
    accepts.kind,
  ),
  v.forward(
    v.check(fault => hasOneReach(fault), 'calls or share, not both'),
    ['share'],
  ),
)

const faultList = v.strictObject({ faults: v.array(fault, 'a list of faults') }, 'a list of faults')

/**
 * What goes wrong with a charge.
 *
 * - `decline`: the bank says no; stored as any other result
 * - `lost-before`: the connection ends without an answer, and nothing was charged
 * - `lost-after`: it was charged, and the connection ends without an answer
 * - `late-apply`: the connection ends without an answer, and `delayMs` later it is charged
 * - `slow`: it was charged, and the answer comes `delayMs` late
 * - `down`: 503, and nothing was charged; the only one that hits lookups as well
 */
export type ProviderFault = v.InferOutput<typeof fault>

type Parsed<Value> = { ok: true; value: Value } | { ok: false; errors: FieldError[] }

/** Reads one fault from JSON, or says of every wrong field what would have been right. Never throws. */
export function parseFault(input: unknown): Parsed<ProviderFault> {
  return checkInput(fault, input, {
    whole: 'a fault as a JSON object',
    unknownField: 'no such field for this kind of fault',
  })
}

/** Reads `{ "faults": [ ... ] }`, as `parseFault` reads one. Never throws. */
export function parseFaultList(input: unknown): Parsed<{ faults: ProviderFault[] }> {
  return checkInput(faultList, input, {
    whole: 'an object { "faults": [ ... ] }',
    unknownField: 'no such field here',
  })
}
