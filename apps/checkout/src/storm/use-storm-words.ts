import { useMemo } from 'react'
import { type Language, useLanguage } from '../language/language.tsx'
import type { Messages } from '../language/messages.en.ts'

export type StormWords = ReturnType<typeof createStormWords>

/** What the page says, with numbers and times as the language has them. */
export function useStormWords(): StormWords {
  const { language, messages } = useLanguage()
  return useMemo(() => createStormWords(language, messages.storm), [language, messages])
}

const MINUTE_MS = 60_000
/** From here on nobody counts in seconds. */
const IN_MINUTES_MS = 3 * MINUTE_MS

export function createStormWords(language: Language, words: Messages['storm']) {
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
  const short = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })

  /** `300 ms`, `7.4 s` or `17 min 3 s`. */
  function time(ms: number): string {
    if (ms > 0 && ms < 1_000) return words.milliseconds(whole.format(ms))
    if (ms < IN_MINUTES_MS) return words.seconds(short.format(ms / 1_000))
    const seconds = Math.round((ms % MINUTE_MS) / 1_000)
    const minutes = words.minutes(whole.format(Math.floor(ms / MINUTE_MS)))
    return seconds === 0 ? minutes : `${minutes} ${words.seconds(whole.format(seconds))}`
  }

  return {
    ...words,
    count: (count: number) => whole.format(count),
    short: (number: number) => short.format(number),
    /** How many times as many. */
    ratio: (ratio: number) => (ratio < 10 ? short : whole).format(ratio),
    percent: (ratio: number) => percent.format(ratio),
    time,
    instant: (ms: number | undefined) => (ms === undefined ? words.never : time(ms)),
    policy: (name: string) => words.policies[name] ?? { name, hint: '' },
  }
}
