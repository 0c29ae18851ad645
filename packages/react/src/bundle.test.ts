// @vitest-environment node
import { brotliCompressSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** What a user's bundler makes of an import of the package. */
async function bundle(imported: string, environment = 'production', options: BuildOptions = {}) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${imported} from './index.ts'`,
      resolveDir: new URL('.', import.meta.url).pathname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['source'],
    external: ['react', '@tanstack/react-query'],
    define: { 'process.env.NODE_ENV': JSON.stringify(environment) },
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}

const sizeOf = (code: string) => brotliCompressSync(code).length

/** Of nested retries: in their texts, in their memory and where they read errors. */
const NESTED = ['axios-retry', '$fetchRaw', 'shouldRetry', 'maxAttempts']
/** Of the circuit breaker: names of its options, which no minifier changes. */
const BREAKER = ['slowCallRatio', 'probeTimeoutMs', 'halfOpenProbes']

describe('a bundle', () => {
  it('for production has nothing of the nested retries in it, one for development all', async () => {
    const [production, development] = await Promise.all([bundle('*'), bundle('*', 'development')])
    expect(NESTED.filter(trace => production.includes(trace))).toEqual([])
    expect(NESTED.filter(trace => development.includes(trace))).toEqual(NESTED)
  })

  it('has the circuit breaker in it only where it is imported', async () => {
    const [without, withIt] = await Promise.all([
      bundle('{ createRetryPreset }'),
      bundle('{ createRetryPreset, CircuitBreaker }'),
    ])
    expect(BREAKER.filter(trace => without.includes(trace))).toEqual([])
    expect(BREAKER.filter(trace => withIt.includes(trace))).toEqual(BREAKER)
  })

  it('has the default budget in it for at most 0.6 kB, brotli: here the class, of 264 B when this was written', async () => {
    const withoutBudget: BuildOptions = {
      plugins: [
        {
          name: 'no-budget',
          setup({ onLoad }) {
            onLoad({ filter: /retry-budget\.ts$/ }, () => ({
              contents: 'export const RetryBudget = undefined',
            }))
          },
        },
      ],
    }
    const imported = '{ createRetryPreset }'
    const [withIt, without] = await Promise.all([
      bundle(imported),
      bundle(imported, 'production', withoutBudget),
    ])
    const share = sizeOf(withIt) - sizeOf(without)
    expect(share).toBeGreaterThan(0)
    // What the middleware does with it is another 110 B.
    expect(share).toBeLessThanOrEqual(480)
  })
})
