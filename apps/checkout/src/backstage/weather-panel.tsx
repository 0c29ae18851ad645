import { onlineManager } from '@tanstack/react-query'
import { type CSSProperties, useSyncExternalStore } from 'react'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { ScopePanel } from './scope-panel.tsx'
import { WEATHERS } from './weather.ts'
import { WeatherIcon } from './weather-icon.tsx'
import './weather-panel.css'

/** The barometer: seven kinds of weather on an arc, a needle, and what the chosen one will do. */
export function WeatherPanel() {
  const { weather, apiUrl } = useShop()
  const { messages } = useLanguage()
  const words = messages.weather
  const {
    name: current,
    server,
    wasRefused,
  } = useSyncExternalStore(weather.subscribe, weather.getSnapshot)
  const isOnline = useSyncExternalStore(
    notify => onlineManager.subscribe(notify),
    () => onlineManager.isOnline(),
  )
  const isUsable = server === 'on'
  const trouble = troubleWith(server, wasRefused, apiUrl, messages.backstage)

  return (
    <section className="weather" aria-labelledby="weather">
      <h3 id="weather" className="backstage__title">
        {words.title}
      </h3>
      <fieldset className="dial" disabled={!isUsable} aria-describedby="forecast">
        <legend className="visually-hidden">{words.title}</legend>
        <svg className="dial__arc" viewBox="-100 -100 200 100" aria-hidden="true">
          <path d="M-96 0a96 96 0 0 1 192 0" />
          {Array.from({ length: 31 }, (_, tick) => (
            <path
              // biome-ignore lint/suspicious/noArrayIndexKey: ticks of a scale never move
              key={tick}
              d={tick % 5 ? 'M-62 0h4' : 'M-62 0h9'}
              transform={`rotate(${tick * 6})`}
            />
          ))}
        </svg>
        <div
          className="dial__needle"
          aria-hidden="true"
          style={{ '--position': WEATHERS.indexOf(current) } as CSSProperties}
        />
        {WEATHERS.map((name, position) => (
          <label
            key={name}
            className="dial__option"
            style={{ '--position': position } as CSSProperties}
          >
            <input
              type="radio"
              name="weather"
              value={name}
              checked={name === current}
              onChange={() => void weather.choose(name)}
            />
            <span className="dial__face">
              <WeatherIcon name={name} />
            </span>
            <span className="dial__name">{words.names[name]}</span>
          </label>
        ))}
      </fieldset>
      <div className="forecast" id="forecast" role="status">
        {trouble ? (
          <p className="forecast__trouble">{trouble}</p>
        ) : (
          <>
            <p className="forecast__name">
              <span className="visually-hidden">{words.current} </span>
              {words.names[current]}
            </p>
            <p>
              {isOnline || current === 'unplugged'
                ? words.forecasts[current]
                : words.offlineForReal}
            </p>
          </>
        )}
      </div>
      <ScopePanel />
      <div className="weather__again">
        <button
          type="button"
          className="button button--quiet"
          disabled={!isUsable}
          title={words.againHint}
          onClick={() => void weather.choose(current)}
        >
          {words.again}
        </button>
        <button
          type="button"
          className="button button--quiet"
          disabled={!isUsable}
          title={words.fromEmptyHint}
          onClick={() => void weather.choose(current, { isFromEmpty: true })}
        >
          {words.fromEmpty}
        </button>
      </div>
    </section>
  )
}

function troubleWith(
  server: 'on' | 'off' | 'unreachable' | 'looking',
  wasRefused: boolean,
  apiUrl: string,
  words: {
    serverDown(address: string): string
    faultsOff: string
    looking: string
    refused: string
  },
): string | undefined {
  if (server === 'unreachable') return words.serverDown(apiUrl)
  if (server === 'off') return words.faultsOff
  if (server === 'looking') return words.looking
  return wasRefused ? words.refused : undefined
}
