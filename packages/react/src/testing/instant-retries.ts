import { type Clock, systemClock } from '@query-retry/core'
import { rememberStandIn } from '../development-warnings.ts'
import { guardSettings } from '../mutations/mutation-guard.ts'
import { operationOf, watchOperations } from '../operation.ts'
import { createRetryPreset, type RetryPreset, type RetryPresetOptions } from '../retry-preset.ts'

/**
 * A preset for your own tests: the same decisions as {@link createRetryPreset} gives with these
 * options, without the waits.
 *
 * A wait that would have been slept counts as elapsed, so deadlines end operations after as many
 * attempts as they do in production, and events carry the delays. Countdowns are over at once.
 * `retryOnServer` is on unless given, since tests often run where there is no window.
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 */
export function instantRetries(options: RetryPresetOptions = {}): RetryPreset {
  // A clock object of its own marks the operations of this preset.
  const clock: Clock = Object.create(options.clock ?? systemClock)
  const preset = createRetryPreset({ retryOnServer: true, resumeSpreadMs: 0, ...options, clock })
  watchOperations(query => {
    const operation = operationOf(query)
    if (operation?.clock !== clock || operation.retryAtMs === undefined) return
    const nowMs = clock.nowMs()
    operation.uncountedMs -= operation.retryAtMs - nowMs
    operation.retryAtMs = nowMs
  })
  const queries: RetryPreset['queries'] = {
    ...preset.queries,
    retryDelay(failureCount: number, error?: unknown) {
      preset.queries.retryDelay(failureCount, error)
      return 0
    },
  }
  rememberStandIn(queries.retryDelay)
  const settings = guardSettings(preset.mutations.retry)
  if (settings) settings.isInstant = true
  return { ...preset, queries, defaultOptions: { ...preset.defaultOptions, queries } }
}
