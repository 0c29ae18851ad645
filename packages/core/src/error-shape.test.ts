import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import isNetworkError from 'is-network-error'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { isDependencyFailure } from './dependency-failure.ts'

/** Every text of the package, read from its source: an update that knows another one shows here. */
const texts = [
  ...readFileSync(fileURLToPath(import.meta.resolve('is-network-error')), 'utf8').matchAll(
    /'([^'\n]+)'/g,
  ),
]
  .flatMap(([, text = '']) => [text, `${text} (shop.example)`, `${text} (https://shop.example/)`])
  .filter(text => isNetworkError(asThrown(text)))

/** As Safari throws it, without a stack. */
function asThrown(text: string): unknown {
  return Object.assign(new TypeError(text), { stack: undefined })
}

describe('FETCH_FAILED, the texts of a lost fetch,', () => {
  it('are read from is-network-error: 11, and with a host behind them 21', () => {
    expect(texts).toContain('Failed to fetch (shop.example)')
    expect(texts).toContain(' A network error occurred.')
    expect(texts).toHaveLength(21)
  })

  it.each(texts)('count %j as is-network-error does', text => {
    expect(classifyFailure(asThrown(text))).toMatchObject({ kind: 'network', retryable: true })
    expect(isDependencyFailure(asThrown(text))).toBe(true)
  })

  it.each([
    'x is not a function',
    'Failed to fetch dynamically imported module: https://shop.example/a.js',
    'Failed to parse URL from ::',
    'fetch is not a function',
    'network is undefined',
    '"network error" is not a function',
    'networkError is undefined',
    'networkErrors.map is not a function',
    'networkRequest is not a function',
    'networkConnection.open is not a function',
    'error sendingPort is undefined',
    'terminated.push is not a function',
    'terminated is not iterable',
    'internet.connect is not a function',
    "Cannot read properties of undefined (reading 'fetch')",
  ])('do not count %j, and neither does is-network-error', text => {
    expect(isNetworkError(asThrown(text))).toBe(false)
    expect(classifyFailure(asThrown(text))).toMatchObject({ kind: 'unknown', retryable: false })
    expect(isDependencyFailure(asThrown(text))).toBe(false)
  })

  it.each<[string, unknown]>([
    ['a code beside the text', Object.assign(new TypeError('fetch failed'), { code: 'X' })],
    ['Supabase’s text beside a code', { message: 'TypeError: fetch failed', code: 'PGRST' }],
    ['Supabase’s text under a name', { name: 'Http-Error', message: 'TypeError: fetch failed' }],
    ['a code under a name of two words', { name: 'Fetch Error', code: 'ECONNRESET' }],
  ])('are found with %s', (_, error) => {
    expect(classifyFailure(error)).toMatchObject({ kind: 'network', retryable: true })
    expect(isDependencyFailure(error)).toBe(true)
  })
})
