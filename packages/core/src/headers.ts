import { readProperty } from './read-shape.ts'

/**
 * Reads one header from whatever an HTTP client calls headers: `Headers`, a `Map`, axios's own
 * class, an object of strings or string arrays, or pairs. Names in any case.
 *
 * @param name - lower case
 * @returns the value, or undefined where there is none that can be read as text. Never throws.
 */
export function readHeader(headers: unknown, name: string): string | undefined {
  try {
    if (typeof readProperty(headers, 'get') === 'function') {
      const value = asText((headers as Headers).get(name))
      if (value !== undefined) return value
    }
    const pairs = isIterable(headers) ? [...headers] : Object.entries(headers as object)
    return asText(pairs.find(pair => String(pair[0]).toLowerCase() === name)?.[1])
  } catch {
    return undefined
  }
}

function isIterable(value: unknown): value is Iterable<[unknown, unknown]> {
  return typeof (value as Iterable<unknown>)[Symbol.iterator] === 'function'
}

function asText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length === 1 ? asText(value[0]) : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}
