import {
  describePolicy,
  formatPolicy,
  type PolicyDescription,
  systemClock,
} from '@query-retry/core'
import type { ComparedPolicy } from '../policies/compared-policy.ts'
import { FlagError } from './flags.ts'
import type { StormOptions } from './storm-options.ts'

/**
 * The settings of each policy as core describes them.
 *
 * @throws {FlagError} for a policy that is a formula: it has no settings
 */
export function describeSettings(
  policies: readonly ComparedPolicy[],
  { retryAfterMs }: Pick<StormOptions['herd'], 'retryAfterMs'>,
): PolicyDescription[] {
  return policies.map(({ name, title, policy, budget }) => {
    if (!('decide' in policy)) {
      const accepted = 'given with settings (preset, or your own): this policy is a formula'
      throw new FlagError('--describe', `with --policy ${name}`, accepted)
    }
    return describePolicy(policy, {
      title: `${name}, ${title}`,
      budget: budget?.({ client: 0, clock: systemClock }) ?? false,
      scope: 'the operations of one client',
      breaker: false,
      retryAfterMs,
    })
  })
}

export function formatPages(descriptions: readonly PolicyDescription[]): string {
  return descriptions.map(formatPolicy).join('\n')
}
