import { assertOptions, DEFAULT_RETRY_POLICY, type OptionRules } from '@query-retry/core'
import type { RetryPair } from './decision-pair.ts'
import type { AnyQuery } from './operation.ts'

// Bundlers replace the expression below, and production builds lose the texts with it.
declare const process: { env: { NODE_ENV?: string } }

/** What the preset's own options accept. */
const PRESET_RULES: OptionRules = {
  enabled: 'a function',
  clock: 'an object',
  retryOnServer: 'true or false',
  onEvent: 'a function',
}
const warned = new Set<string>()

/**
 * In development, checks the preset's own options (the policy checks its own at any time), and says
 * which names nobody reads: a misspelt one would silently keep its default.
 *
 * @throws {RetryOptionError} naming the option, its value and what is accepted
 */
export function checkPresetOptions(options: object): void {
  if (process.env.NODE_ENV === 'production') return
  assertOptions(options, PRESET_RULES)
  warnAboutNames(options, 'createRetryPreset', Object.keys(PRESET_RULES))
}

function warnAboutNames(options: object, where: string, more: string[]): void {
  const known = [...Object.keys(DEFAULT_RETRY_POLICY), ...more]
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      warnOnce(`${where} has no option \`${name}\`. The options are ${known.join(', ')}.`)
    }
  }
}

/** In development, says where a query's own `retry` or `retryDelay` replaced the preset's. */
export function warnAboutOwnRetry(query: AnyQuery | undefined, preset: RetryPair): void {
  if (process.env.NODE_ENV === 'production' || !query) return
  const { retry: own, retryDelay } = query.options
  if (own === false || own === undefined) return
  if (retryDelay !== preset.retryDelay && own === preset.retry) {
    warnOnce(
      `Query ${query.queryHash} has a \`retryDelay\` of its own, which replaces the preset's: ` +
        'no jitter, no `Retry-After`, and a countdown that is not true. ' +
        'Use `meta: { retry: { baseMs: ..., capMs: ... } }` instead.',
    )
  }
  if (own === preset.retry) return
  const shown = typeof own === 'function' ? 'a function' : own
  warnOnce(
    `Query ${query.queryHash} has a \`retry\` of its own (${shown}), which replaces the preset's: ` +
      'its classification and its deadline do not apply. ' +
      'Use `meta: { retry: { maxRetries: ... } }` instead, or `retry: false` for none.',
  )
}

/**
 * In development, checks the names of a query's `meta.retry`.
 *
 * @throws {RetryOptionError} where it is no object of options
 */
export function warnAboutOwnPolicy(query: AnyQuery | undefined, own: unknown): void {
  if (process.env.NODE_ENV === 'production') return
  assertOptions({ 'meta.retry': own }, { 'meta.retry': 'an object' })
  warnAboutNames(own as object, `meta.retry of query ${query?.queryHash}`, [])
}

/** In development, says what is wrong with a query's `meta.retry`, which is then ignored. */
export function reportInvalidMeta(query: AnyQuery | undefined, error: unknown): void {
  if (process.env.NODE_ENV === 'production') return
  const message = `Query ${query?.queryHash}: \`meta.retry\` is ignored. ${(error as Error).message}`
  if (isNew(message)) console.error(`[query-retry] ${message}`)
}

function warnOnce(message: string): void {
  if (isNew(message)) console.warn(`[query-retry] ${message}`)
}

function isNew(message: string): boolean {
  if (warned.has(message)) return false
  warned.add(message)
  return true
}
