import { describePreset, type PresetPages, type RetryPreset } from '@query-retry/react'
import { createScopeGauges, type ScopeName } from '../backstage/scopes.ts'
import { en } from '../language/messages.en.ts'
import type { Shop } from '../shop.ts'

/** What the pages of the shop share; the crowds of the backstage have scopes of their own. */
const SCOPE: ScopeName = 'page'

/** The policy of the shop's preset, with what its team knows and no setting says. */
export function describeShop(shop: Shop): PresetPages {
  const { contract, attemptTimeoutMs } = shop.payments.payment({ id: '' })
  const { checkAgain, payDifferently, phases } = en.payment
  return describePreset(unwatched(shop), {
    queries: {
      operation: 'GET /catalogue, /cart, /orders and /orders/{id} of the shop’s API',
      scope: SCOPE,
      // The limit of what is under way at a time is for the team to decide. It has not.
    },
    mutations: {
      operation: 'POST /payments of the shop’s API',
      scope: SCOPE,
      contract,
      ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
      lookUp:
        'GET /payments/by-key/{key}. POST /payments/by-key/{key}/fence burns a key under which nothing has begun.',
      layer:
        'The guard of this preset. Below it, a 401 has the visitor logged in again and the request sent once more, since a 401 did nothing. Behind the API, the server asks its provider by itself, for 20 h.',
      concurrency: 'One payment of an order: a second click, and another tab, join the first.',
      unknownOutcome: `“${phases.unknown.title}”, with “${checkAgain}”, which sends the same key again, and “${payDifferently}”, which has the server burn that key first. Paying again is not offered.`,
    },
  })
}

/**
 * The same preset, for reading: what its factories make is made anew to read it, which the shop's gauges would
 * take for what is in use.
 */
function unwatched({ preset, gauges }: Shop): RetryPreset {
  return {
    ...preset,
    describe() {
      const settings = preset.describe()
      const fresh = createScopeGauges().options
      const { budget, circuitBreaker } = gauges.options
      return {
        ...settings,
        ...(settings.budget === budget && { budget: fresh.budget }),
        ...(settings.circuitBreaker === circuitBreaker && { circuitBreaker: fresh.circuitBreaker }),
      }
    },
  }
}
