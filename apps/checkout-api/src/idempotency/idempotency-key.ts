import { parseItem } from 'structured-headers'

const LONGEST_KEY = 255
/** No space among them: two header lines, which Node joins with ", ", can never look like one key. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** What a bare key may not hold: the signs of a quoted one, of parameters and of a list. */
const STRUCTURED_SIGN = /["\\,;]/
/** URLs fold these away, so that nobody could look them up by their path. */
const NO_PATH_SEGMENT = ['.', '..']

const ACCEPTED = `one key of 1 to ${LONGEST_KEY} visible ASCII characters other than . or .., as a quoted string or, without " \\ , and ;, bare`

export type KeyReading =
  | { ok: true; key: string }
  | { ok: false; problem: 'missing' | 'invalid'; detail: string }

/**
 * Reads an `Idempotency-Key` header: a quoted string (`"abc"`) or the bare key (`abc`), which are one
 * and the same key.
 *
 * @param header - the header's value; several lines joined with a comma, as `Headers` gives them
 * @returns the key, 1 to 255 visible ASCII characters, or what is wrong. Never throws.
 * @see draft-ietf-httpapi-idempotency-key-header-07 §2.1, RFC 9651 §3.3.3 (string)
 */
export function readIdempotencyKey(header: string | null | undefined): KeyReading {
  if (header === null || header === undefined) {
    return { ok: false, problem: 'missing', detail: `Send an Idempotency-Key header: ${ACCEPTED}.` }
  }
  const key = header.startsWith('"') ? unquote(header) : unlessStructured(header)
  const isWellFormed = key !== undefined && VISIBLE_ASCII.test(key) && key.length <= LONGEST_KEY
  if (isWellFormed && !NO_PATH_SEGMENT.includes(key)) {
    return { ok: true, key }
  }
  return {
    ok: false,
    problem: 'invalid',
    detail: `Accepted: ${ACCEPTED}.`,
  }
}

function unquote(header: string): string | undefined {
  try {
    const [value, parameters] = parseItem(header)
    return typeof value === 'string' && parameters.size === 0 ? value : undefined
  } catch {
    return undefined
  }
}

function unlessStructured(header: string): string | undefined {
  return STRUCTURED_SIGN.test(header) ? undefined : header
}
