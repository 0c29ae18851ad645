import './run-progress.css'
import { useStormWords } from './use-storm-words.ts'

/** @param progress - from 0 to 1 */
export function RunProgress({ progress }: { progress: number }) {
  const words = useStormWords()
  return (
    <div className="run-progress">
      <span aria-hidden="true">{words.simulating}</span>
      {/* Until the first clients are done nothing is known of how long it takes. */}
      <progress aria-label={words.simulating} value={progress > 0 ? progress : undefined} />
    </div>
  )
}
