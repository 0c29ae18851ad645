import { useSyncExternalStore } from 'react'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import type { Track } from './attempt-log.ts'
import { AttemptTrack } from './attempt-track.tsx'
import { useServerCalls } from './use-server-calls.ts'

/** The page's own query first; the cart's count in the header is on every page. */
function byPlace(a: Track, b: Track): number {
  return Number(a.queryKey[0] === 'cart') - Number(b.queryKey[0] === 'cart')
}

/** Every attempt of every query of the page, with the server's own count beside ours. */
export function AttemptTimeline() {
  const { attempts } = useShop()
  const words = useLanguage().messages.timeline
  const tracks = useSyncExternalStore(attempts.subscribe, attempts.getSnapshot)
  const calls = useServerCalls(tracks.reduce((sum, { marks }) => sum + marks.length, 0))

  return (
    <section className="timeline" aria-labelledby="timeline">
      <h3 id="timeline" className="backstage__title">
        {words.title}
      </h3>
      {tracks.length > 0 ? (
        <ul className="timeline__tracks">
          {[...tracks].sort(byPlace).map(track => (
            <AttemptTrack key={track.queryHash} track={track} calls={calls} />
          ))}
        </ul>
      ) : (
        <p className="timeline__none">{words.none}</p>
      )}
    </section>
  )
}
