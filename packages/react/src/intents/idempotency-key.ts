import { IntentError } from './intent-error.ts'

type RandomSource = Partial<Pick<Crypto, 'randomUUID' | 'getRandomValues'>>

/**
 * A new idempotency key of at least 122 random bits: a version 4 UUID, or, on a page over plain http,
 * which has no `crypto.randomUUID`, four random numbers of 32 bits: `2093812-17-301192881-2290118211`.
 *
 * Never from `Math.random`: two browsers could draw one key, and the second would be told the first
 * one's result.
 *
 * @param source - default `globalThis.crypto`
 * @throws {IntentError} `NO_SECURE_RANDOM` where neither exists
 * @see RFC 9562 §5.4 (UUIDv4); draft-ietf-httpapi-idempotency-key-header-07 §2.2 (uniqueness)
 */
export function mintIdempotencyKey(source: RandomSource | undefined = globalThis.crypto): string {
  if (source?.randomUUID) return source.randomUUID()
  if (source?.getRandomValues) return source.getRandomValues(new Uint32Array(4)).join('-')
  throw new IntentError('NO_SECURE_RANDOM', 'crypto is missing')
}
