import { formatPolicy, type PolicyDescription } from '@query-retry/react'
import { useId } from 'react'
import { useCopy } from '../storefront/use-copy.ts'
import './copy-markdown.css'
import { usePolicyWords } from './use-policy-words.ts'

/** The sheet to take along to a wiki or a pull request; by hand where the browser does not let us copy. */
export function CopyMarkdown({
  description,
  of,
}: {
  description: PolicyDescription
  /** Id of the sheet's title. */
  of: string
}) {
  const words = usePolicyWords().copying
  const id = useId()
  const markdown = formatPolicy(description)
  const { said, copy } = useCopy(markdown)

  return (
    <div className="copy-markdown">
      <button
        id={id}
        type="button"
        className="button button--quiet"
        aria-labelledby={`${id} ${of}`}
        onClick={copy}
      >
        {words.copy}
      </button>
      <p role="status">{said === 'copied' && words.copied}</p>
      {said === 'refused' && (
        <div className="copy-markdown__by-hand">
          <p role="alert">{words.refused}</p>
          <textarea
            readOnly
            lang="en"
            rows={6}
            aria-label={words.byHand}
            value={markdown}
            onFocus={event => event.target.select()}
          />
        </div>
      )}
    </div>
  )
}
