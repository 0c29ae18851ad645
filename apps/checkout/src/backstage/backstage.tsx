import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLanguage } from '../language/language.tsx'
import { recall, remember } from '../remembered.ts'
import { useShop } from '../shop.ts'
import { AttemptTimeline } from './attempt-timeline.tsx'
import './backstage.css'
import { PaymentPanel } from './payment-panel.tsx'
import { WeatherIcon } from './weather-icon.tsx'
import { WeatherPanel } from './weather-panel.tsx'

/** Below this width the panel covers the shop, so it starts folded. */
const WIDE = '(min-width: 68rem)'

/** The panel beside (or, on a phone, below) the shop: weather and attempts. Folds away. */
export function Backstage() {
  const { weather } = useShop()
  const { messages } = useLanguage()
  const words = messages.backstage
  const { name } = useSyncExternalStore(weather.subscribe, weather.getSnapshot)
  const [isOpen, setIsOpen] = useState(() => {
    const remembered = recall('backstage')
    return remembered ? remembered === 'open' : matchMedia(WIDE).matches
  })

  // Once, also while folded: the weather may have been set before this page was loaded.
  useEffect(() => {
    void weather.look()
  }, [weather])

  return (
    <aside className="backstage" data-open={isOpen} aria-labelledby="backstage">
      <h2 className="backstage__head">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls="backstage-content"
          onClick={() => {
            remember('backstage', isOpen ? 'folded' : 'open')
            setIsOpen(!isOpen)
          }}
        >
          <WeatherIcon name={name} />
          <span id="backstage">{words.title}</span>
          <span className="backstage__weather">{messages.weather.names[name]}</span>
          <svg className="backstage__arrow" viewBox="0 0 24 24" aria-hidden="true">
            <path d="m6 15 6-6 6 6" />
          </svg>
        </button>
      </h2>
      <div className="backstage__content" id="backstage-content" hidden={!isOpen}>
        {isOpen && (
          <>
            <p className="backstage__intro">{words.intro}</p>
            <PaymentPanel />
            <WeatherPanel />
            <AttemptTimeline />
          </>
        )}
      </div>
    </aside>
  )
}
