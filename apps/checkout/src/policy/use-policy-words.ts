import { formatDuration } from '@query-retry/core'
import { useMemo } from 'react'
import { useLanguage } from '../language/language.tsx'

/** What stands around the sheets, in the language of the page, with durations as the sheets round them. */
export function usePolicyWords() {
  const { messages } = useLanguage()
  return useMemo(() => {
    const words = messages.policy
    const duration = (ms: number) => {
      if (ms === Infinity) return words.noLimit
      const [amount = '', unit = ''] = formatDuration(ms).split(' ')
      return words.units[unit]?.(amount) ?? `${amount} ${unit}`
    }
    return {
      ...words,
      duration,
      /** To three digits, as a mean deserves. */
      estimate: (ms: number) => duration(ms > 0 && ms < Infinity ? Number(ms.toPrecision(3)) : ms),
      count: (count: number) => (count === Infinity ? words.noLimit : String(count)),
    }
  }, [messages])
}
