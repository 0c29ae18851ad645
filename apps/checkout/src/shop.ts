import { createRetryPreset, type RetryPresetOptions } from '@query-retry/react'
import { QueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { createApi } from './api.ts'
import { createAttemptLog } from './backstage/attempt-log.ts'
import { createFaultSwitches } from './backstage/fault-switches.ts'
import { createWeather } from './backstage/weather.ts'
import { createShopQueries } from './queries.ts'

export interface ShopOptions {
  /** Where the API answers, without a trailing slash. */
  apiUrl: string
  /** Settings of the preset; the defaults are what ships. */
  retry?: RetryPresetOptions
}

export type Shop = ReturnType<typeof createShop>

/** Everything behind the pages, without React: the client with its preset, the API and the backstage. */
export function createShop({ apiUrl, retry }: ShopOptions) {
  const preset = createRetryPreset(retry)
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: { ...preset.queries, staleTime: 30_000 },
      mutations: { ...preset.mutations },
    },
  })
  const api = createApi(apiUrl)
  const attempts = createAttemptLog(queryClient.getQueryCache(), preset)
  const faults = createFaultSwitches(apiUrl)
  return {
    apiUrl,
    queryClient,
    preset,
    queries: createShopQueries(api, attempts.recordSend),
    attempts,
    faults,
    weather: createWeather(queryClient, faults),
  }
}

export const ShopContext = createContext<Shop | undefined>(undefined)

export function useShop(): Shop {
  const shop = use(ShopContext)
  if (!shop) throw new Error('useShop needs a ShopContext above it')
  return shop
}
