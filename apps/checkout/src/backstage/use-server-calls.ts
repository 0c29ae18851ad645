import type { Call } from '@query-retry/checkout-api'
import { useEffect, useState } from 'react'
import { useShop } from '../shop.ts'
import { lookEverySecond } from './look-every-second.ts'

/** A call as the server saw it, at the browser's clock. */
export interface Arrival {
  atEpochMs: number
  answer: Call['answer']
}

/** The page's own arrivals by operation (`GET /cart`); undefined where the server does not tell. */
export type ServerCalls = Record<string, Arrival[]> | undefined

/**
 * What the server has really received, and whether it is there at all: looked up every second, and
 * at once when `news` changes.
 */
export function useServerCalls(news: number): ServerCalls {
  const { faults, weather } = useShop()
  const [calls, setCalls] = useState<ServerCalls>()

  // biome-ignore lint/correctness/useExhaustiveDependencies: news is a reason to look, not a value
  useEffect(() => {
    const read = async () => {
      await weather.look()
      return weather.getSnapshot().server === 'on' ? faults.readCalls() : undefined
    }
    return lookEverySecond(read, report =>
      setCalls(
        report &&
          Object.fromEntries(
            Object.entries(report.operations).map(([operation, seen]) => [
              operation,
              seen.calls.filter(isOfPage).map(({ receivedAtEpochMs, answer }) => ({
                atEpochMs: receivedAtEpochMs - report.clockAheadMs,
                answer,
              })),
            ]),
          ),
      ),
    )
  }, [faults, weather, news])

  return calls
}

function isOfPage({ target }: Call): boolean {
  return !target.includes('crowd=')
}
