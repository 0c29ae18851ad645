/**
 * The value of a `Retry-After` field, in either of its forms.
 *
 * The date has whole seconds and is rounded up, so that a client which honours it never returns
 * earlier than `seconds` from now.
 *
 * @see RFC 9110 §10.2.3 (field) and §5.6.7 (IMF-fixdate, which is what `toUTCString` writes)
 * @example formatRetryAfter({ form: 'seconds', seconds: 5 }, 0) // => '5'
 * @example formatRetryAfter({ form: 'date', seconds: 5 }, 0) // => 'Thu, 01 Jan 1970 00:00:05 GMT'
 */
export function formatRetryAfter(
  { form, seconds }: { form: 'seconds' | 'date'; seconds: number },
  nowEpochMs: number,
): string {
  if (form === 'seconds') return String(seconds)
  return new Date(Math.ceil(nowEpochMs / 1_000 + seconds) * 1_000).toUTCString()
}
