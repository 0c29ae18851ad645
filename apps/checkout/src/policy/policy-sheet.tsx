import type { PolicyDescription } from '@query-retry/react'
import { type CSSProperties, useId } from 'react'
import { CopyMarkdown } from './copy-markdown.tsx'
import './policy-sheet.css'
import { PolicyWarnings } from './policy-warnings.tsx'
import { usePolicyWords } from './use-policy-words.ts'
import { WaitBars } from './wait-bars.tsx'

/** The one-page policy: what it comes to, what hurts, its waits, and each line of it. */
export function PolicySheet({
  name,
  description,
  longestMs,
}: {
  name: 'queries' | 'mutations'
  description: PolicyDescription
  /** The end of the scale that all sheets have in common. */
  longestMs: number
}) {
  const words = usePolicyWords()
  const id = useId()
  const { attempts, worstCaseCalls, expectedWaitMs, isCutByDeadline, worstWaitMs } = description
  const average = words.estimate(expectedWaitMs)
  const figures = {
    attempts: words.count(attempts),
    calls: words.count(worstCaseCalls),
    average: isCutByDeadline ? words.about(average) : average,
    most: words.duration(worstWaitMs),
  }
  const open = description.rows.filter(({ isOpen }) => isOpen).length

  return (
    <article
      className="policy-sheet"
      data-sheet={name}
      aria-labelledby={id}
      style={{ '--lines': description.rows.length } as CSSProperties}
    >
      <header className="policy-sheet__head">
        <div>
          <h2 id={id}>{words.sheets[name].title}</h2>
          <p className="policy-sheet__hint">{words.sheets[name].hint}</p>
        </div>
        <CopyMarkdown description={description} of={id} />
      </header>
      <dl className="policy-sheet__figures">
        {(['attempts', 'calls', 'average', 'most'] as const).map(figure => (
          <div key={figure} data-figure={figure}>
            <dt>{words.figures[figure]}</dt>
            <dd>{figures[figure]}</dd>
          </div>
        ))}
      </dl>
      <PolicyWarnings warnings={description.warnings} />
      <WaitBars waits={description.waits} longestMs={longestMs} />
      <div className="policy-sheet__about-lines">
        <h3>{words.lines}</h3>
        <p className="policy-sheet__open">{words.open(open)}</p>
      </div>
      <dl className="policy-sheet__lines">
        {description.rows.map(({ topic, title, text, isOpen }) => (
          <div key={topic} data-topic={topic} data-open={isOpen}>
            <dt lang="en">{title}</dt>
            <dd>
              {isOpen && <strong className="policy-sheet__mark">{words.toFillIn}</strong>}{' '}
              <span lang="en">{text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
