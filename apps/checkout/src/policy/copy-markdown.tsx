import { formatPolicy, type PolicyDescription } from '@query-retry/react'
import { useId, useState } from 'react'
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
  const [said, setSaid] = useState<'copied' | 'refused'>()
  const markdown = formatPolicy(description)

  async function copy() {
    // Said again, it has to be another text than what stands there.
    setSaid(undefined)
    try {
      await navigator.clipboard.writeText(markdown)
      setSaid('copied')
    } catch {
      setSaid('refused')
    }
  }

  return (
    <div className="copy-markdown">
      <button
        id={id}
        type="button"
        className="button button--quiet"
        aria-labelledby={`${id} ${of}`}
        onClick={() => void copy()}
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
