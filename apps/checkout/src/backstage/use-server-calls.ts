import type { Call } from '@query-retry/checkout-api'
import { useEffect, useState } from 'react'
import { useShop } from '../shop.ts'

/** A call as the server saw it, at the browser's clock. */
export interface Arrival {
  atEpochMs: number
  answer: Call['answer']
}

/** The page's own arrivals by operation (`GET /cart`); undefined where the server does not tell. */
export type ServerCalls = Record<string, Arrival[]> | undefined

const LOOK_EVERY_MS = 1_000

/**
 * What the server has really received, and whether it is there at all: looked up every second, and
 * at once when `news` changes.
 */
export function useServerCalls(news: number): ServerCalls {
  const { faults, weather } = useShop()
  const [calls, setCalls] = useState<ServerCalls>()

  // biome-ignore lint/correctness/useExhaustiveDependencies: news is a reason to look, not a value
  useEffect(() => {
    let isMounted = true
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      await weather.look()
      const report = weather.getSnapshot().server === 'on' ? await faults.readCalls() : undefined
      if (!isMounted) return
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
      )
      // One after the other: a slow answer must not pile up questions.
      timer = setTimeout(look, LOOK_EVERY_MS)
    }
    void look()
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [faults, weather, news])

  return calls
}

function isOfPage({ target }: Call): boolean {
  return !target.includes('crowd=')
}
