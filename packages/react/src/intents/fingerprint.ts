import { hashKey } from '@tanstack/react-query'
import { IntentError } from './intent-error.ts'

// Bundlers replace the expression below, and production builds lose the check with it.
declare const process: { env: { NODE_ENV?: string } }

/**
 * Tells the payloads of an intent apart: the same variables give the same text, in whatever order their
 * members are, today and after a reload.
 *
 * What counts is the JSON that a client would send. So a member that is `undefined` counts as absent,
 * and a `Date`, or anything else with `toJSON`, as what that gives. In development that is refused which
 * JSON loses without a word, since two different payloads would pass for one: functions, symbols,
 * bigints, `NaN` and infinities, `undefined` in a list, cycles, and objects that are neither plain nor
 * lists (`Map`, `Set`, `File`, `FormData`, instances of classes).
 *
 * Synchronous, since `crypto.subtle` is missing on plain http; 64 bits, which is plenty against
 * accident and nothing against an attacker, who could only fool himself. It can be tried out: keep
 * card numbers and the like out of it.
 *
 * @returns a short text without spaces
 * @throws {IntentError} `FINGERPRINT` in development, `at` being the path of what is refused
 */
export function fingerprintOf(id: string, variables: unknown): string {
  if (process.env.NODE_ENV !== 'production') assertJson(variables ?? null, 'variables', [])
  return hash(hashKey([id, variables]))
}

function assertJson(given: unknown, path: string, parents: readonly unknown[]): void {
  const { toJSON } = Object(given)
  const value = typeof toJSON === 'function' ? toJSON.call(given) : given
  const isObject = Object(value) === value
  const isList = Array.isArray(value)
  // Plain, also where another frame made it.
  const isPlain =
    isObject && !Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype)
  const isJson = isObject
    ? (isList || isPlain) && !parents.includes(value)
    : value === null || /string|boolean/.test(typeof value) || Number.isFinite(value)
  if (!isJson) throw new IntentError('FINGERPRINT', `${path} has no stable JSON`, path)
  if (!isObject) return
  for (const name of isList ? value.keys() : Object.keys(value)) {
    // An absent member is as good as none; a hole in a list is not.
    if (isList || value[name] !== undefined) {
      assertJson(value[name], path + (isList ? `[${name}]` : `.${name}`), [...parents, value])
    }
  }
}

/** Two FNV-1a hashes side by side. @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
function hash(text: string): string {
  let first = 0x811c9dc5
  let second = 0x9dc5811c
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    first = Math.imul(first ^ unit, 0x01000193)
    second = Math.imul(second ^ unit, 0x5bd1e995)
  }
  return `${first >>> 0}.${second >>> 0}`
}
