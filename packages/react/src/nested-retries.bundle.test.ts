// @vitest-environment node
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** What a user's bundler makes of the whole package. */
async function bundle(environment: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['source'],
    external: ['react', '@tanstack/react-query'],
    define: { 'process.env.NODE_ENV': JSON.stringify(environment) },
  })
  return outputFiles[0]?.text ?? ''
}

/** In its texts, in its memory and where it reads errors. */
const TRACES = ['axios-retry', '$fetchRaw', '$metadata', 'shouldRetry', 'maxAttempts']

describe('a bundle', () => {
  it('for production has nothing of the nested retries in it, one for development all', async () => {
    const [production, development] = await Promise.all([
      bundle('production'),
      bundle('development'),
    ])
    expect(TRACES.filter(trace => production.includes(trace))).toEqual([])
    expect(TRACES.filter(trace => development.includes(trace))).toEqual(TRACES)
  })
})
