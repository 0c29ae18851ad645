import type { ReactNode } from 'react'
import type { WeatherName } from './weather.ts'
import './weather-icon.css'

const CLOUD = 'M14 30a7 7 0 0 1 .8-14A10 10 0 0 1 34 14.500a8 8 0 0 1 .5 15.500z'

const DRAWINGS: Record<WeatherName, ReactNode> = {
  calm: (
    <>
      <circle cx="24" cy="24" r="8" />
      <path d="M24 6v5M24 37v5M6 24h5M37 24h5M11.3 11.300l3.5 3.500M33.2 33.200l3.5 3.500M11.3 36.700l3.5-3.500M33.2 14.800l3.5-3.5" />
    </>
  ),
  blip: (
    <>
      <path d={CLOUD} />
      <path d="M19 35l-2 5M29 35l-2 5" />
    </>
  ),
  'rate-limited': (
    <>
      <path d="M14 8h20M14 40h20M16 8c0 9 7 11 7 16s-7 7-7 16M32 8c0 9-7 11-7 16s7 7 7 16" />
      <path d="M20 36h8" />
    </>
  ),
  slow: <path d="M10 14h22M16 22h24M8 30h20M18 38h18M37 14h3M33 30h5" />,
  outage: (
    <>
      <path d={CLOUD} />
      <path d="m25 25-5 9h7l-4 9" />
    </>
  ),
  'long-outage': (
    <>
      <path d={CLOUD} />
      <path d="m17 34-4 8M25 34l-4 8M33 34l-4 8" />
      <path d="M30 6a9 9 0 0 1 9 9" />
    </>
  ),
  unplugged: (
    <>
      <path d="M18 20V9M30 20V9M13 20h22v5a11 11 0 0 1-22 0z" />
      <path d="M24 36v3M24 43v1" />
    </>
  ),
}

export function WeatherIcon({ name }: { name: WeatherName }) {
  return (
    <svg className="weather-icon" viewBox="0 0 48 48" aria-hidden="true">
      {DRAWINGS[name]}
    </svg>
  )
}
