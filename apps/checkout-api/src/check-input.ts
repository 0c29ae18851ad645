import * as v from 'valibot'
import type { FieldError } from './problem.ts'

export interface InputWords {
  /** What is accepted where the input as a whole is of the wrong kind. */
  whole: string
  /** What is said of a field that nobody asked for. Default `no such field`. */
  unknownField?: string
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
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  if (result.success) return { ok: true, value: result.output }
  return { ok: false, errors: result.issues.map(issue => toFieldError(issue, words)) }
}

function toFieldError(issue: v.BaseIssue<unknown>, words: InputWords): FieldError {
  const field = v.getDotPath(issue)
  if (field === null) return { field: 'body', value: show(issue.input), accepted: words.whole }
  // An unknown field is reported as one that was expected never to come.
  const isUnknownField = issue.type === 'strict_object' && issue.expected === 'never'
  return {
    field: field.slice(0, 100),
    value: show(issue.path?.at(-1)?.value),
    accepted: isUnknownField ? (words.unknownField ?? 'no such field') : issue.message,
  }
}

/** As in the request, but bounded: JSON's own text, and numbers that JSON cannot write as they are. */
function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined')
  return text.slice(0, 100)
}
