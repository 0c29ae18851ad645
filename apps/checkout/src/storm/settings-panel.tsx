import { useId } from 'react'
import './settings-panel.css'
import { Slider } from './slider.tsx'
import { STOPS } from './slider-stops.ts'
import { JITTERS, OWN_POLICY, type StormSettings } from './storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

export type ChangeSetting = <Key extends keyof StormSettings>(
  changed: Key,
  value: StormSettings[Key],
) => void

/** The herd and its server; and where they are compared, the settings of one's own. */
export function SettingsPanel({
  settings,
  onChange,
}: {
  settings: StormSettings
  onChange: ChangeSetting
}) {
  const words = useStormWords()
  const slider = <Key extends keyof typeof STOPS>(
    key: Key,
    format: (value: StormSettings[Key]) => string,
    formatEnd = format,
  ) => (
    <Slider<StormSettings[Key]>
      label={words.labels[key]}
      stops={STOPS[key] as readonly StormSettings[Key][]}
      value={settings[key]}
      format={format}
      formatEnd={formatEnd}
      onChange={value => onChange(key, value)}
    />
  )

  return (
    <section className="storm-settings" aria-labelledby="storm-settings">
      <h2 id="storm-settings" className="visually-hidden">
        {words.settings}
      </h2>
      <div className="storm-settings__sliders">
        {slider('clients', words.count)}
        {slider('capacity', capacity => words.perSecond(words.count(capacity)), words.count)}
        {slider('outageMs', ms => (ms === 0 ? words.noOutage : words.time(ms)))}
        {slider('retryAfterMs', ms => (ms === undefined ? words.noRetryAfter : words.time(ms)))}
      </div>
      {settings.policies.includes(OWN_POLICY) && (
        <fieldset className="storm-settings__own">
          <legend>{words.ownSettings}</legend>
          <div className="storm-settings__sliders">
            {slider('maxRetries', retries => words.retries(words.count(retries)))}
            {slider('capMs', words.time)}
            {slider('deadlineMs', words.time)}
            <JitterChoice value={settings.jitter} onChange={jitter => onChange('jitter', jitter)} />
          </div>
        </fieldset>
      )}
    </section>
  )
}

function JitterChoice({
  value,
  onChange,
}: {
  value: StormSettings['jitter']
  onChange(value: StormSettings['jitter']): void
}) {
  const { labels, jitters } = useStormWords()
  const id = useId()
  return (
    <div className="storm-settings__jitter">
      <label htmlFor={id}>{labels.jitter}</label>
      <select
        id={id}
        value={value}
        onChange={event => onChange(event.target.value as StormSettings['jitter'])}
      >
        {JITTERS.map(jitter => (
          <option key={jitter} value={jitter}>
            {jitters[jitter]}
          </option>
        ))}
      </select>
    </div>
  )
}
