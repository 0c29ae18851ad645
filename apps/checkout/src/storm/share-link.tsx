import { useEffect, useState } from 'react'
import { useHref, useLocation } from 'react-router'
import './share-link.css'
import { writeCommand } from './storm-link.ts'
import type { StormSettings } from './storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

/** The settings to take along: as a link, and as what gives the same figures in a terminal. */
export function ShareLink({ settings, link }: { settings: StormSettings; link: string }) {
  const words = useStormWords().sending
  const { pathname } = useLocation()
  const href = useHref({ pathname, search: link })
  const [said, setSaid] = useState<'copied' | 'notCopied'>()

  // Other settings are another link.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is what the effect is about
  useEffect(() => setSaid(undefined), [link])

  async function copy() {
    try {
      await navigator.clipboard.writeText(new URL(href, location.origin).href)
      setSaid('copied')
    } catch {
      setSaid('notCopied')
    }
  }

  return (
    <section className="share-link" aria-labelledby="share-link">
      <h2 id="share-link">{words.title}</h2>
      <p>{words.hint}</p>
      <pre>
        <code>{writeCommand(settings)}</code>
      </pre>
      <div className="share-link__copy">
        <button type="button" className="button" onClick={() => void copy()}>
          {words.copy}
        </button>
        <p role="status">{said && words[said]}</p>
      </div>
    </section>
  )
}
