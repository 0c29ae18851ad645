import * as v from 'valibot'
import type { FieldError } from './problem.ts'

export interface InputWords {
  /** What is accepted where the input as a whole is of the wrong kind. */
  whole: string
  /** What is said of a field that nobody asked for. Default `no such field`. */
  unknownField?: string
  /**
   * Fields whose value is never repeated: somebody will send a real card number one day. Where there
   * may be any, the value of a field that nobody asked for is not repeated either.
   */
  secrets?: readonly string[]
}

/**
 * Checks what came from outside, or says of every wrong field what would have been right: the
 * messages of the schema are those words, and end up in the answer. Never throws.
 */
export function checkInput<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  words: InputWords,
): { ok: true; value: v.InferOutput<Schema> } | { ok: false; errors: FieldError[] } {
  // A list passes for an object without members, and its errors would speak of those.
  if (schema.type === 'strict_object' && Array.isArray(input)) {
    return { ok: false, errors: [{ field: 'body', value: show(input), accepted: words.whole }] }
  }
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  if (result.success) return { ok: true, value: result.output }
  return {
    ok: false,
    errors: result.issues.map(issue => {
      const accepted = isMissing(issue) ? acceptedOf(schema, issue) : undefined
      const error = toFieldError(issue, words)
      return accepted === undefined ? error : { ...error, accepted }
    }),
  }
}

/** A field that is not there: Valibot reports it in words of its own, not in those of the field. */
function isMissing({ type, input, expected }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && input === undefined && expected !== 'never'
}

/** What the schema of a field at the top says to nothing at all. */
function acceptedOf(schema: v.GenericSchema, issue: v.BaseIssue<unknown>): string | undefined {
  const { entries } = schema as { entries?: Record<string, v.GenericSchema> }
  const [{ key = '' } = {}, ...deeper] = issue.path ?? []
  const field = deeper.length === 0 ? entries?.[String(key)] : undefined
  return field && v.safeParse(field, undefined).issues?.[0].message
}

function toFieldError(issue: v.BaseIssue<unknown>, words: InputWords): FieldError {
  const field = v.getDotPath(issue)
  if (field === null) return { field: 'body', value: show(issue.input), accepted: words.whole }
  // An unknown field is reported as one that was expected never to come.
  const isUnknownField = issue.type === 'strict_object' && issue.expected === 'never'
  const isSecret = words.secrets && (isUnknownField || words.secrets.includes(field))
  return {
    field: field.slice(0, 100),
    value: isSecret ? 'not shown' : show(issue.path?.at(-1)?.value),
    accepted: isUnknownField ? (words.unknownField ?? 'no such field') : issue.message,
  }
}

/** As in the request, but bounded: JSON's own text, and numbers that JSON cannot write as they are. */
function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined')
  return text.slice(0, 100)
}
