import { type CSSProperties, useId } from 'react'
import './slider.css'
import { nearestStop } from './slider-stops.ts'

/** A range input over stops, with what it stands at in words beside its name. */
export function Slider<Value extends number | undefined>({
  label,
  stops,
  value,
  format,
  formatEnd,
  onChange,
}: {
  label: string
  stops: readonly Value[]
  value: Value
  format(value: Value): string
  /** For both ends of the scale, where there is little room. */
  formatEnd(value: Value): string
  onChange(value: Value): void
}) {
  const id = useId()
  const place = nearestStop(stops, value)
  const last = stops.length - 1
  return (
    <div className="slider">
      <label htmlFor={id}>{label}</label>
      <output htmlFor={id} aria-hidden="true">
        {format(value)}
      </output>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={place}
        aria-valuetext={format(value)}
        style={{ '--filled': place / last } as CSSProperties}
        onChange={event => onChange(stops[event.target.valueAsNumber] as Value)}
      />
      <span className="slider__ends" aria-hidden="true">
        <span>{formatEnd(stops[0] as Value)}</span>
        <span>{formatEnd(stops[last] as Value)}</span>
      </span>
    </div>
  )
}
