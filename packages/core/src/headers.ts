import { asText, readProperty } from './read-shape.ts'

/**
 * Reads one header from whatever an HTTP client calls headers: `Headers`, a `Map`, axios's own
 * class, an object of strings or string arrays, or pairs. Names in any case.
 *
 * @param name - lower case
 * @returns the value, empty where there is none that can be read as text. Never throws.
 */
export function readHeader(headers: unknown, name: string): string {
  try {
    const value =
      typeof readProperty(headers, 'get') === 'function' && (headers as Headers).get(name)
    const pairs = isIterable(headers) ? [...headers] : Object.entries(headers as object)
    const found = value || pairs.find(pair => String(pair[0]).toLowerCase() === name)?.[1]
    // Node gives a list where a field may come more than once; two answers are none.
    return asText(Array.isArray(found) && found.length === 1 ? found[0] : found).trim()
  } catch {
    return ''
  }
}

function isIterable(value: unknown): value is Iterable<[unknown, unknown]> {
  return typeof (value as Iterable<unknown>)[Symbol.iterator] === 'function'
}
