import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/**
 * A new secret that stands for a login: 256 random bits as 43 characters of base64url.
 *
 * Given to the visitor once and kept nowhere here; see `hashSessionToken`.
 */
export function mintSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * What is stored of a token, and looked up by. A plain SHA-256 does for 256 random bits: there is
 * nothing to guess, so a slow hash would only make every request slow.
 *
 * @returns 32 bytes
 */
export function hashSessionToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
