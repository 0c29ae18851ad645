import { RetryNotice } from '@query-retry/react'
import type { ComponentProps } from 'react'
import { useLanguage } from '../language/language.tsx'
import './notice.css'

/** The preset's notice in the shop's clothes and language. */
export function Notice(props: Omit<ComponentProps<typeof RetryNotice>, 'language' | 'className'>) {
  const { language } = useLanguage()
  return <RetryNotice {...props} language={language} className="notice" />
}
