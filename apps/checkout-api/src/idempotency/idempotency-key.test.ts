import { describe, expect, it } from 'vitest'
import { readIdempotencyKey } from './idempotency-key.ts'

describe('readIdempotencyKey', () => {
  it.each([
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['"a\\"b"', 'a"b'],
    ['"a\\\\b"', 'a\\b'],
    ['"a,b;c"', 'a,b;c'],
    ['0b1c6d0a-7c39-4f4e-9d0e-0c2b7f4c1d11', '0b1c6d0a-7c39-4f4e-9d0e-0c2b7f4c1d11'],
    ['order:17/attempt=1', 'order:17/attempt=1'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%.40s is the key %.40s', (header, key) => {
    expect(readIdempotencyKey(header)).toEqual({ ok: true, key })
  })

  it.each([
    ['nothing', ''],
    ['an empty string', '""'],
    ['256 characters', 'x'.repeat(256)],
    ['256 quoted characters', `"${'x'.repeat(256)}"`],
    ['a dot, which URLs fold away', '.'],
    ['two dots', '".."'],
    ['a space', 'a b'],
    ['a quoted space', '"a b"'],
    ['two lines', 'a, a'],
    ['two quoted lines', '"a", "a"'],
    ['two lines that quote together', '"a, b"'],
    ['a tab', 'a\tb'],
    ['a line feed', 'a\nb'],
    ['NUL', 'a\0b'],
    ['DEL', 'a\x7fb'],
    ['Latin-1', 'caf\xe9'],
    ['Korean', '열쇠'],
    ['an open quote', '"abc'],
    ['a quote inside', 'a"b'],
    ['a bare backslash', 'a\\b'],
    ['an escape of something else', '"a\\nb"'],
    ['parameters', '"abc";v=1'],
    ['parameters of a bare key', 'abc;v=1'],
    ['a list', 'a,b'],
    ['a byte sequence', ':YWJj: '],
  ])('%s is refused', (_, header) => {
    expect(readIdempotencyKey(header)).toMatchObject({ ok: false, problem: 'invalid' })
  })

  it.each([null, undefined])('%s is a missing key', header => {
    expect(readIdempotencyKey(header)).toMatchObject({ ok: false, problem: 'missing' })
  })
})
