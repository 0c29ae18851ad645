/** No space: two header lines, which HTTP joins with ", ", are no key. */
const KEY = /^[\x21-\x7e]{1,255}$/

export const KEY_ACCEPTED = '1 to 255 visible ASCII characters'

/** Whether this is a key as the provider takes it: raw, quotes being a part of it. */
export function isIdempotencyKey(value: string): boolean {
  return KEY.test(value)
}
