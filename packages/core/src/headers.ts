import { asText } from './read-shape.ts'

/**
 * Reads one header from whatever an HTTP client calls headers: `Headers`, a `Map`, axios's own
 * class, an object of strings or string arrays, or pairs. Names in any case.
 *
 * @param name - lower case
 * @returns the value, empty where there is none that can be read as text. Never throws.
 */
export function readHeader(headers: unknown, name: string): string {
  if (!headers) return ''
  try {
    const { get } = headers as Headers
    const value = typeof get === 'function' && get.call(headers, name)
    // Node gives a list where a field may come more than once; two answers are none.
    const [only, another] = [value || findPair(headers as object, name)].flat()
    return another ? '' : asText(only).trim()
  } catch {
    return ''
  }
}

function findPair(headers: object, name: string): unknown {
  const pairs =
    Symbol.iterator in headers ? (headers as Iterable<[unknown, unknown]>) : Object.entries(headers)
  let left = 1_000 // An iterator need not end.
  for (const [key, value] of pairs) {
    if (String(key).toLowerCase() === name) return value
    if (left-- === 0) break
  }
  return undefined
}
