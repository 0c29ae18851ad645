import { formatDuration, formatEstimate } from '@query-retry/core'
import { useMemo } from 'react'
import { useLanguage } from '../language/language.tsx'

/** What stands around the sheets, in the language of the page, with durations as the sheets round them. */
export function usePolicyWords() {
  const { messages } = useLanguage()
  return useMemo(() => {
    const words = messages.policy
    const spoken = (ms: number, format: (ms: number) => string) => {
      if (ms === Infinity) return words.noLimit
      const [amount = '', unit = ''] = format(ms).split(' ')
      return words.units[unit]?.(amount) ?? `${amount} ${unit}`
    }
    return {
      ...words,
      duration: (ms: number) => spoken(ms, formatDuration),
      estimate: (ms: number) => spoken(ms, formatEstimate),
      count: (count: number) => (count === Infinity ? words.noLimit : String(count)),
    }
  }, [messages])
}
