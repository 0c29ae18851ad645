import type { PolicyDescription } from '@query-retry/react'
import './policy-warnings.css'
import { usePolicyWords } from './use-policy-words.ts'

/** The settings that hurt, or that none does. */
export function PolicyWarnings({ warnings }: Pick<PolicyDescription, 'warnings'>) {
  const words = usePolicyWords()
  if (warnings.length === 0) {
    return (
      <p className="policy-warnings policy-warnings--none">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 10.5 8.2 15 16 5.5" />
        </svg>
        {words.noWarnings}
      </p>
    )
  }
  return (
    <ul className="policy-warnings" aria-label={words.warnings}>
      {warnings.map(({ code, option, text }) => (
        <li key={code} data-code={code}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M10 2.5 18.5 17h-17Z M10 8v4.2 M10 14.2v.6" />
          </svg>
          <p>
            <strong>{words.warning}</strong> <code lang="en">{code}</code>
            {option && (
              <>
                {' '}
                <span className="policy-warnings__option">
                  {words.option} <code lang="en">{option}</code>
                </span>
              </>
            )}
          </p>
          <p lang="en">{text}</p>
        </li>
      ))}
    </ul>
  )
}
