import { IntentError } from './intent-error.ts'
import type { IntentSubject } from './intent-record.ts'

/**
 * Tells payloads apart: the same operation, subject and variables give the same text, in whatever
 * order their members are, today and after a reload.
 *
 * What counts is the JSON that a client would send. So a member that is `undefined` counts as absent,
 * and a `Date`, or anything else with `toJSON`, as what that gives. Refused is what JSON loses without
 * a word, since two different payloads would pass for one: functions, symbols, bigints, `NaN` and
 * infinities, `undefined` in a list, cycles, and objects that are neither plain nor lists (`Map`,
 * `Set`, `File`, `FormData`, instances of classes).
 *
 * Synchronous, since `crypto.subtle` is missing on plain http; 64 bits, which is plenty against
 * accident and nothing against an attacker, who could only fool himself. It can be tried out: keep
 * card numbers and the like out of it.
 *
 * @returns a short text without spaces
 * @throws {IntentError} `FINGERPRINT`, `at` being the path of what is refused
 */
export function fingerprintOf(
  operation: string,
  subject: IntentSubject,
  variables: unknown,
): string {
  const payload = variables === undefined ? '' : canonicalJson(variables, 'variables', [])
  return hash(JSON.stringify([operation, subject.map(String), payload]))
}

function canonicalJson(given: unknown, path: string, parents: readonly unknown[]): string {
  const { toJSON } = Object(given)
  const value = typeof toJSON === 'function' ? toJSON.call(given) : given
  const refuse = (what: string) => {
    throw new IntentError('FINGERPRINT', `${path} is ${what}: no stable JSON`, path)
  }
  if (Object(value) !== value) {
    if (value !== null && !/string|boolean/.test(typeof value) && !Number.isFinite(value)) {
      refuse(String(typeof value === 'number' ? value : typeof value))
    }
    return JSON.stringify(value)
  }
  if (parents.includes(value)) refuse('a cycle')
  const inside = [...parents, value]
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item, index) => canonicalJson(item, `${path}[${index}]`, inside))}]`
  }
  const prototype = Object.getPrototypeOf(value)
  // Plain, also where another frame made it.
  if (prototype && Object.getPrototypeOf(prototype)) refuse(`a ${prototype.constructor?.name}`)
  const members = Object.keys(value)
    .filter(name => value[name] !== undefined)
    .sort()
    .map(name => `${JSON.stringify(name)}:${canonicalJson(value[name], `${path}.${name}`, inside)}`)
  return `{${members}}`
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
