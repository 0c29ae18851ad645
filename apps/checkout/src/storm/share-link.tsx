import { useHref, useLocation } from 'react-router'
import { useCopy } from '../storefront/use-copy.ts'
import './share-link.css'
import { writeCommand } from './storm-link.ts'
import type { StormSettings } from './storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

/** The settings to take along: as a link, and as what gives the same figures in a terminal. */
export function ShareLink({ settings, link }: { settings: StormSettings; link: string }) {
  const words = useStormWords().sending
  const { pathname } = useLocation()
  const href = useHref({ pathname, search: link })
  const { said, copy } = useCopy(new URL(href, location.origin).href)

  return (
    <section className="share-link" aria-labelledby="share-link">
      <h2 id="share-link">{words.title}</h2>
      <p>{words.hint}</p>
      <pre>
        <code>{writeCommand(settings)}</code>
      </pre>
      <div className="share-link__copy">
        <button type="button" className="button" onClick={copy}>
          {words.copy}
        </button>
        <p role="status">{said && words[said]}</p>
      </div>
    </section>
  )
}
