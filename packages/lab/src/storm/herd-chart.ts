import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import type { HerdResult } from '../herd-result.ts'
import type { ChartLabel } from './chart-labels.ts'
import { formatCount } from './figures.ts'
import { binSlots, type SlotBin } from './slot-bins.ts'

/** What charts that are to be compared have in common: their size and their scales. */
export interface ChartFrame {
  width: number
  height: number
  /** The time axis ends here. */
  lastMs: number
  /** The calls axis ends here. */
  most: number
  /** Calls that the server takes in a slot: a dotted line, named at its right end, where it is inside the chart. */
  capacityPerSlot: number
  /** Beside the charts, for what is written there. */
  marginLeft: number
  /** Numbers on the calls axis; none where everything is labelled directly. */
  callTicks: number[]
  outage?: { fromMs: number; toMs: number }
  fontSize: number
  look: ChartLook
}

/** Colours: CSS, so also variables and `currentColor`. */
export interface ChartLook {
  ink: string
  soft: string
  line: string
  firstCalls: string
  retries: string
  outage: string
  /** Around labels, where these may stand on a shape. */
  halo?: string
}

/**
 * Draws a policy's calls over time: retries as a filled shape, first calls as an outlined one above them.
 *
 * @returns an SVG element without title or role, its size in `viewBox` only
 */
export function drawHerd(
  result: HerdResult,
  frame: ChartFrame,
  labels: readonly ChartLabel[],
): string {
  const { width, height, lastMs, most, marginLeft, look, fontSize, outage, capacityPerSlot } = frame
  const isInside = capacityPerSlot <= most
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const bins = binSlots(result, lastMs)
  const lastBinMs = bins.at(-1)?.toMs ?? 0
  const end: SlotBin = { fromMs: lastBinMs, toMs: lastBinMs, calls: 0, retries: 0 }
  const steps = [...bins, end]
  const firstCalls = steps.map((step, index) => {
    const hasThem = (one: SlotBin | undefined) => one !== undefined && one.calls > one.retries
    // Where there are none the outline is interrupted, after it has come down.
    const isDrawn = hasThem(step) || hasThem(steps[index - 1])
    return { fromMs: step.fromMs, low: isDrawn ? step.retries : NaN, high: step.calls }
  })
  const plot = Plot.plot({
    document,
    width,
    height,
    marginLeft,
    marginTop: fontSize * 1.8,
    marginRight: fontSize * 5,
    marginBottom: fontSize * 2.2,
    style: { fontSize: `${fontSize}px`, color: look.ink },
    x: { domain: [0, lastMs], axis: null },
    y: { domain: [0, most], axis: null },
    marks: [
      outage && outage.fromMs < lastMs
        ? Plot.rect([outage], {
            x1: 'fromMs',
            x2: ({ toMs }) => Math.min(toMs, lastMs),
            y1: 0,
            y2: most,
            fill: look.outage,
          })
        : null,
      Plot.gridY(frame.callTicks, { stroke: look.line, strokeOpacity: 1 }),
      Plot.axisY(frame.callTicks, {
        tickSize: 0,
        fill: look.soft,
        label: null,
        tickFormat: formatCount,
      }),
      Plot.areaY(steps, {
        x: 'fromMs',
        y: 'retries',
        curve: 'step-after',
        fill: look.retries,
      }),
      Plot.areaY(firstCalls, {
        x: 'fromMs',
        y1: 'low',
        y2: 'high',
        curve: 'step-after',
        fill: look.firstCalls,
        stroke: look.soft,
      }),
      Plot.ruleY([0], { stroke: look.line }),
      Plot.axisX({
        ticks: secondsTicks(lastMs, (width - marginLeft) / (fontSize * 4)),
        tickSize: 4,
        stroke: look.line,
        fill: look.soft,
        label: null,
        tickFormat: (ms: number) => `${ms / 1_000} s`,
      }),
      Plot.ruleY(isInside ? [capacityPerSlot] : [], { stroke: look.soft, strokeDasharray: '2 3' }),
      Plot.text([`takes ${formatCount(capacityPerSlot)}${isInside ? '' : ' ↑'}`], {
        x: lastMs,
        y: [Math.min(capacityPerSlot, most)],
        text: Plot.identity,
        textAnchor: 'start',
        dx: 6,
        fill: look.soft,
      }),
      ...labels.map(({ atMs, calls, text, anchor, isBeside }) =>
        Plot.text([text], {
          x: [atMs],
          y: [calls],
          text: Plot.identity,
          textAnchor: anchor,
          lineAnchor: isBeside ? 'top' : 'bottom',
          dx: isBeside ? -6 : 0,
          dy: isBeside ? -fontSize / 2 : -5,
          fontWeight: isBeside ? 400 : 600,
          fill: isBeside ? look.soft : look.ink,
          stroke: look.halo,
          strokeWidth: 4,
        }),
      ),
    ],
  })
  plot.querySelector('style')?.remove()
  for (const name of ['class', 'width', 'height']) plot.removeAttribute(name)
  for (const element of plot.querySelectorAll('[aria-label], [aria-hidden]')) {
    element.removeAttribute('aria-label')
    element.removeAttribute('aria-hidden')
  }
  return plot.outerHTML.replace(/ (d|transform|x1?|x2|y1?|y2|width|height)="[^"]*"/g, roundNumbers)
}

/** To the hundredth of a pixel: a third of the length, and the same wherever it is drawn. */
function roundNumbers(attribute: string): string {
  return attribute.replace(/\d+\.\d{3,}/g, number => String(Math.round(Number(number) * 100) / 100))
}

/** Whole seconds, minutes or hours at even distances, about so many. */
function secondsTicks(lastMs: number, wanted: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 18_000, 36_000]
  const step = steps.find(seconds => lastMs / 1_000 / seconds <= wanted) ?? 86_400
  return Array.from({ length: Math.floor(lastMs / 1_000 / step) + 1 }, (_, n) => n * step * 1_000)
}
