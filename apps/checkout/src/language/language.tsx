import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { recall, remember } from '../remembered.ts'
import { en, type Messages } from './messages.en.ts'
import { ko } from './messages.ko.ts'

export type Language = 'en' | 'ko'

const MESSAGES: Record<Language, Messages> = { en, ko }

interface LanguageChoice {
  language: Language
  messages: Messages
  choose(language: Language): void
}

const LanguageContext = createContext<LanguageChoice | undefined>(undefined)

/** Keeps the chosen language, remembers it, and tells the page (`<html lang>`) about it. */
export function LanguageProvider({
  initial = initialLanguage(),
  children,
}: {
  initial?: Language | undefined
  children: ReactNode
}) {
  const [language, setLanguage] = useState(initial)

  useEffect(() => {
    document.documentElement.lang = language
  }, [language])

  const choice = useMemo<LanguageChoice>(
    () => ({
      language,
      messages: MESSAGES[language],
      choose(next) {
        remember('language', next)
        setLanguage(next)
      },
    }),
    [language],
  )
  return <LanguageContext value={choice}>{children}</LanguageContext>
}

export function useLanguage(): LanguageChoice {
  const choice = use(LanguageContext)
  if (!choice) throw new Error('useLanguage needs a LanguageProvider above it')
  return choice
}

function initialLanguage(): Language {
  const remembered = recall('language')
  if (remembered === 'en' || remembered === 'ko') return remembered
  return navigator.languages.some(tag => tag.toLowerCase().startsWith('ko')) ? 'ko' : 'en'
}
