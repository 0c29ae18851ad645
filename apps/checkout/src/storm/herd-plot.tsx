import type { HerdResult } from '@query-retry/lab'
import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter } from 'd3-shape'
import { useId } from 'react'
import './herd-plot.css'
import { type Column, columnsOf, retryPeakAtMs } from './plot-columns.ts'
import { SLOT_MS, type StormSettings } from './storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

/** What all plots that stand beside each other have in common. */
export interface PlotScale {
  /** Of the time axis. */
  spanMs: number
  /** Of the other: calls in a slot. */
  most: number
  slotsPerColumn: number
}

/** The drawing is stretched to its box; words stand around it, so that they are not. */
const WIDTH = 1_000
const HEIGHT = 400

/** Calls over time: the first of every client lightly, the retries in the colour of their side. */
export function HerdPlot({
  policy,
  result,
  settings,
  scale,
  description,
}: {
  policy: string
  result: HerdResult | undefined
  settings: StormSettings
  scale: PlotScale
  /** The same in words. */
  description: string
}) {
  const words = useStormWords()
  const id = useId()
  const x = scaleLinear([0, scale.spanMs], [0, WIDTH])
  const y = scaleLinear([0, scale.most], [HEIGHT, 0])
  const across = (ms: number) => `${x(ms) / (WIDTH / 100)}%`
  const up = (calls: number) => `${100 - y(calls) / (HEIGHT / 100)}%`
  const perSlot = (settings.capacity * SLOT_MS) / 1_000
  const slot = words.time(SLOT_MS)
  const columnMs = scale.slotsPerColumn * SLOT_MS

  return (
    <figure className="herd-plot">
      <p className="herd-plot__unit" aria-hidden="true">
        {scale.slotsPerColumn > 1
          ? words.axisOfPeaks(slot, words.time(columnMs))
          : words.axis(slot)}
      </p>
      <div
        className="herd-plot__box"
        role="img"
        aria-label={words.plot(policy, slot)}
        aria-describedby={id}
      >
        {settings.outageMs > 0 && (
          <span
            className="herd-plot__outage"
            style={{ inlineSize: across(Math.min(settings.outageMs, scale.spanMs)) }}
          />
        )}
        {y.ticks(4).map(calls => (
          <span key={calls} className="herd-plot__line" style={{ insetBlockEnd: up(calls) }}>
            {calls > 0 && <span>{words.count(calls)}</span>}
          </span>
        ))}
        {result && (
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <Curve result={result} x={x} y={y} slotsPerColumn={scale.slotsPerColumn} />
          </svg>
        )}
        {perSlot <= scale.most && (
          <span className="herd-plot__capacity" style={{ insetBlockEnd: up(perSlot) }} />
        )}
        {result && <Peak result={result} across={across} up={up} scale={scale} />}
      </div>
      <div className="herd-plot__times" aria-hidden="true">
        {roundTimes(scale.spanMs).map(ms => (
          <span key={ms} style={{ insetInlineStart: across(ms) }}>
            {words.time(ms)}
          </span>
        ))}
      </div>
      <figcaption id={id}>{description}</figcaption>
    </figure>
  )
}

/** Where the time axis has its marks, at seconds or minutes that are round. None where its words would stick out. */
function roundTimes(spanMs: number): number[] {
  const unitMs = spanMs < 180_000 ? 1_000 : 60_000
  const times = scaleLinear([0, spanMs / unitMs], [0, 1]).ticks(4)
  return times.map(time => time * unitMs).filter(ms => ms < spanMs * 0.85)
}

type Scale = (value: number) => number

function Curve({
  result,
  x,
  y,
  slotsPerColumn,
}: {
  result: HerdResult
  x: Scale
  y: Scale
  slotsPerColumn: number
}) {
  const columns = columnsOf(result, slotsPerColumn)
  const end: Column = {
    fromMs: columns.length * slotsPerColumn * result.slotMs,
    calls: 0,
    retries: 0,
  }
  const draw = (height: (column: Column) => number) =>
    area<Column>()
      .x(column => x(column.fromMs))
      .y0(y(0))
      .y1(column => y(height(column)))
      .curve(curveStepAfter)
      .digits(1)([...columns, end]) ?? undefined
  return (
    <>
      <path className="herd-plot__first" d={draw(({ calls }) => calls)} />
      <path className="herd-plot__retries" d={draw(({ retries }) => retries)} />
    </>
  )
}

/** The number that the plot is about, at its place. */
function Peak({
  result,
  across,
  up,
  scale: { spanMs, slotsPerColumn },
}: {
  result: HerdResult
  across(ms: number): string
  up(calls: number): string
  scale: PlotScale
}) {
  const words = useStormWords()
  const atMs = retryPeakAtMs(result)
  if (atMs === undefined) return null
  const columnMs = slotsPerColumn * result.slotMs
  const middleMs = (Math.floor(atMs / columnMs) + 0.5) * columnMs
  return (
    <span
      className="herd-plot__peak"
      data-side={middleMs > spanMs * 0.6 ? 'before' : 'after'}
      style={{ insetInlineStart: across(middleMs), insetBlockEnd: up(result.peakRetriesPerSlot) }}
    >
      {words.count(result.peakRetriesPerSlot)}
    </span>
  )
}
