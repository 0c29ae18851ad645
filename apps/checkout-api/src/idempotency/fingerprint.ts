import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** Raised when the same request would give another fingerprint; keys of the old version then mismatch. */
const VERSION = 1

/**
 * What makes two requests the same: operation and business fields, whatever the order of their
 * members. Timestamps, trace ids and headers are no part of it.
 *
 * @param operation - method and route template, for example `POST /payments`
 * @param input - the fields that count, as JSON
 * @returns 32 bytes (SHA-256)
 * @see RFC 8785 (JSON Canonicalization Scheme)
 */
export function fingerprintOf(operation: string, input: unknown): Buffer {
  return createHash('sha256')
    .update(canonicalize([VERSION, operation, input]) ?? '')
    .digest()
}
