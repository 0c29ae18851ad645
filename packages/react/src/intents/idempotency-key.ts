import { IntentError } from './intent-error.ts'

type RandomSource = Partial<Pick<Crypto, 'randomUUID' | 'getRandomValues'>>

/**
 * A new idempotency key: a version 4 UUID of 122 random bits.
 *
 * From `crypto.randomUUID`, or, on a page over plain http, which has none, from
 * `crypto.getRandomValues`. Never from `Math.random`: two browsers could draw one key, and the second
 * would be told the first one's result.
 *
 * @param source - default `globalThis.crypto`
 * @throws {IntentError} `NO_SECURE_RANDOM` where neither exists
 * @see RFC 9562 §5.4 (UUIDv4); draft-ietf-httpapi-idempotency-key-header-07 §2.2 (uniqueness)
 */
export function mintIdempotencyKey(source: RandomSource | undefined = globalThis.crypto): string {
  if (source?.randomUUID) return source.randomUUID()
  if (!source?.getRandomValues) throw new IntentError('NO_SECURE_RANDOM', 'crypto is missing')
  const bytes = source.getRandomValues(new Uint8Array(31))
  let next = 0
  // 4 is the version; the digit in the place of 8 has two free bits, every x four.
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/[x8]/g, place => {
    const byte = bytes[next++] ?? 0
    return (place === 'x' ? byte & 15 : (byte & 3) | 8).toString(16)
  })
}
