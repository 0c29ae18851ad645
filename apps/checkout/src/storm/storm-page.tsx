import { PageHead } from '../storefront/page-head.tsx'
import type { PlotScale } from './herd-plot.tsx'
import { LinkProblems } from './link-problems.tsx'
import { slotsPerColumn } from './plot-columns.ts'
import { PolicySide } from './policy-side.tsx'
import { RunProgress } from './run-progress.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { ShareLink } from './share-link.tsx'
import type { StormOutcome } from './simulate-storm.ts'
import { verdictInWords } from './storm-in-words.ts'
import { writeLink } from './storm-link.ts'
import './storm-page.css'
import { SLOT_MS } from './storm-settings.ts'
import { useStorm } from './use-storm.ts'
import { useStormSettings } from './use-storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

const SIDES = [0, 1] as const

/** A herd under two policies, simulated in a worker: settings, two curves on one scale, and their figures. */
export function StormPage() {
  const words = useStormWords()
  const { settings, link, problems, change } = useStormSettings()
  const run = useStorm(settings)
  const { outcome, isFailed } = run
  const isBusy = !isFailed && (!outcome || writeLink(outcome.settings) !== link)
  const isSlow = isBusy && run.isSlow
  const shown = outcome?.settings ?? settings
  const scale = scaleOf(outcome)

  return (
    <>
      <PageHead title={words.title} tagline={words.tagline} />
      <LinkProblems problems={problems} />
      <SettingsPanel settings={settings} onChange={change} />
      <section
        className="storm"
        aria-labelledby="storm-result"
        aria-busy={isBusy}
        data-slow={isSlow}
      >
        <h2 id="storm-result" className="visually-hidden">
          {words.result}
        </h2>
        <p className="storm__verdict" role="status">
          {isFailed ? words.failed : outcome && verdictInWords(outcome, words)}
        </p>
        <div className="storm__key">
          <ul className="storm__legend">
            {(['first', 'retries', 'capacity', 'outage'] as const).map(name => (
              <li key={name} data-mark={name}>
                {words.legend[name]}
              </li>
            ))}
          </ul>
          {isSlow && <RunProgress progress={run.progress} />}
        </div>
        <div className="storm__sides">
          {SIDES.map(side => (
            <PolicySide
              key={side}
              side={side}
              chosen={settings.policies[side]}
              shown={shown}
              result={outcome?.results[side]}
              scale={scale}
              onChoose={name => {
                const [first, second] = settings.policies
                change('policies', side === 0 ? [name, second] : [first, name])
              }}
            />
          ))}
        </div>
      </section>
      <ShareLink settings={settings} link={link} />
    </>
  )
}

/** Above the highest curve, for the number that stands there. */
const HEADROOM = 1.16

/** One scale for both, or the pictures could not be compared. */
function scaleOf(outcome: StormOutcome | undefined): PlotScale {
  const results = outcome?.results ?? []
  const slots = Math.max(10, ...results.map(({ callsPerSlot }) => callsPerSlot.length))
  const most = Math.max(1, ...results.map(({ peakCallsPerSlot }) => peakCallsPerSlot))
  return {
    spanMs: slots * SLOT_MS * 1.02,
    most: most * HEADROOM,
    slotsPerColumn: slotsPerColumn(slots),
  }
}
