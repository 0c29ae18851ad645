import { createRetryPreset, type RetryPresetOptions } from '@query-retry/react'
import { QueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { createApi } from './api.ts'
import { createAttemptLog } from './backstage/attempt-log.ts'
import { createCrowd } from './backstage/crowd.ts'
import { createFaultSwitches } from './backstage/fault-switches.ts'
import { createPaymentLog } from './backstage/payment-log.ts'
import { createProviderDesk } from './backstage/provider-desk.ts'
import { createScopeGauges } from './backstage/scopes.ts'
import { createWeather } from './backstage/weather.ts'
import { createPayments } from './payments.ts'
import { createShopQueries } from './queries.ts'
import { createSession } from './session.ts'

export interface ShopOptions {
  /** Where the API answers, without a trailing slash. */
  apiUrl: string
  /** Where the payment provider shows its ledger. Only the backstage looks there. */
  providerUrl: string
  /** Settings of the preset; the defaults are what ships. */
  retry?: RetryPresetOptions
  /** Limit of one attempt to pay. Default 15,000, longer than the server's slowest answer. */
  paymentLimitMs?: number | undefined
}

export type Shop = ReturnType<typeof createShop>

/** Everything behind the pages, without React: the client with its preset, the API and the backstage. */
export function createShop({ apiUrl, providerUrl, retry, paymentLimitMs }: ShopOptions) {
  const gauges = createScopeGauges()
  const preset = createRetryPreset({ ...gauges.options, ...retry })
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: { ...preset.queries, staleTime: 30_000 },
      mutations: { ...preset.mutations },
    },
  })
  const api = createApi(apiUrl)
  const attempts = createAttemptLog(queryClient.getQueryCache(), preset)
  const faults = createFaultSwitches(apiUrl)
  const sentPayments = createPaymentLog()
  const weather = createWeather(queryClient, faults)
  return {
    apiUrl,
    queryClient,
    preset,
    queries: createShopQueries(api, attempts.recordSend),
    payments: createPayments(createSession(apiUrl), sentPayments, paymentLimitMs),
    attempts,
    faults,
    sentPayments,
    provider: createProviderDesk(providerUrl),
    weather,
    gauges,
    crowd: createCrowd(queryClient, api, gauges, weather),
  }
}

export const ShopContext = createContext<Shop | undefined>(undefined)

export function useShop(): Shop {
  const shop = use(ShopContext)
  if (!shop) throw new Error('useShop needs a ShopContext above it')
  return shop
}
