import { asText } from './read-shape.ts'

/**
 * Reads one header from whatever an HTTP client calls headers: `Headers`, a `Map`, axios's own
 * class, an object of strings or string arrays, or pairs. Names in any case.
 *
 * @param name - lower case
 * @returns the value, empty where there is none that can be read as text. Never throws.
 */
export function readHeader(headers: unknown = [], name: string): string {
  let left = 1_000 // An iterator need not end.
  try {
    // An object may have a field that is called get.
    const pairs: Iterable<[unknown, unknown]> =
      Symbol.iterator in (headers as object)
        ? (headers as Iterable<[unknown, unknown]>)
        : (headers as Partial<Headers>).get?.call
          ? [[name, (headers as Headers).get(name)]]
          : Object.entries(headers as object)
    for (const [key, value] of pairs) {
      if (!left--) break
      // Node gives a list where a field may come more than once: "5, 7", as `Headers` has it.
      if (asText(key).toLowerCase() === name) {
        return asText((value as string[] | null)?.join?.(', ') ?? value).trim()
      }
    }
  } catch {}
  return ''
}
