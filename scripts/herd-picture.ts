import type { HerdResult } from '../packages/lab/src/herd-result.ts'
import { preset } from '../packages/lab/src/policies/preset.ts'
import { tanstack } from '../packages/lab/src/policies/tanstack.ts'
import { simulateHerd } from '../packages/lab/src/simulate-herd.ts'
import { type ChartLabel, labelRetries } from '../packages/lab/src/storm/chart-labels.ts'
import { formatCount, formatSeconds, lastCallMs } from '../packages/lab/src/storm/figures.ts'
import { drawHerd } from '../packages/lab/src/storm/herd-chart.ts'
import { readStormOptions } from '../packages/lab/src/storm/storm-options.ts'
import { findTeeth } from '../packages/lab/src/storm/teeth.ts'

/** What to give `pnpm storm` for the figures of the picture. Refusals arrive at once, so that teeth are at whole seconds. */
const FLAGS = '--answer 0'

/** The first picture of the README: TanStack Query's default above the preset, on one scale. */
export interface HerdPicture {
  /** For a page of either colour; the ground is the page's own. */
  svg: Record<Theme, string>
  /** What is seen, in words and numbers. */
  alt: string
  /** What exactly was simulated, and the command that prints its figures. Markdown. */
  caption: string
}

type Theme = keyof typeof THEMES

/** GitHub's two grounds have these inks; the herd's red and the preset's blue have a contrast of 4.5 on them and more. */
const THEMES = {
  light: {
    ink: '#1f2328',
    soft: '#59636e',
    line: '#d1d9e0',
    firstCalls: '#eff2f5',
    outage: 'none',
    herd: '#c4341c',
    calm: '#2f4bb5',
  },
  dark: {
    ink: '#f0f6fc',
    soft: '#9198a1',
    line: '#3d444d',
    firstCalls: '#262c36',
    outage: 'none',
    herd: '#ff7b5f',
    calm: '#8ea8ff',
  },
}

const FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
const WIDTH = 880
const HEAD = 88
const PANEL_HEAD = 30
const CHART = 210
const PANEL = PANEL_HEAD + CHART + 12
/** Labels of the first calls are left of this, and what the server takes is right of that. */
const LEFT = 84
const RIGHT = WIDTH - 70

interface Panel {
  name: string
  does: string
  colour: 'herd' | 'calm'
  result: HerdResult
}

export async function drawPicture(): Promise<HerdPicture> {
  const { herd } = await readStormOptions(FLAGS.split(' '))
  const simulate = ({ policy, budget }: typeof preset) => simulateHerd({ ...herd, policy, budget })
  const panels: [Panel, Panel] = [
    {
      name: 'TanStack Query’s default',
      does: '3 retries, after exactly 1, 2 and 4 s',
      colour: 'herd',
      result: simulate(tanstack),
    },
    {
      name: 'query-retry',
      does: '4 retries, each at a random moment of a growing window',
      colour: 'calm',
      result: simulate(preset),
    },
  ]
  const { clients, slotMs, capacityPerSlot } = herd
  const perSecond = formatCount((capacityPerSlot / slotMs) * 1_000)
  const title = `${formatCount(clients)} browsers call a server that takes ${perSecond} a second`
  const unit = `Calls in each ${slotMs} ms. The server takes ${formatCount(capacityPerSlot)} of them and refuses the rest with 503.`
  const draw = (theme: Theme) => drawPanels(theme, title, unit, panels, capacityPerSlot)
  return {
    svg: { light: draw('light'), dark: draw('dark') },
    caption: tellConditions(panels, capacityPerSlot),
    alt: `Two charts, one above the other on one scale: ${title} and refuses the rest. ${tell(panels)}`,
  }
}

function drawPanels(
  theme: Theme,
  title: string,
  unit: string,
  panels: readonly Panel[],
  capacityPerSlot: number,
): string {
  const colours = THEMES[theme]
  const height = HEAD + panels.length * PANEL
  const results = panels.map(({ result }) => result)
  const most = Math.max(...results.map(({ peakCallsPerSlot }) => peakCallsPerSlot))
  const lastMs = Math.ceil(lastCallMs(results) / 1_000) * 1_000
  const bodies = panels.map(({ name, does, colour, result }, index) => {
    const look = { ...colours, retries: colours[colour] }
    const chart = drawHerd(
      result,
      {
        width: WIDTH,
        height: CHART,
        lastMs,
        most,
        capacityPerSlot,
        marginLeft: LEFT,
        callTicks: [],
        fontSize: 14,
        look,
      },
      [labelFirstCalls(result), ...labelRetries(result, lastMs, 0)],
    )
    const { served, clients, gaveUp } = result
    const heading = `<tspan font-size="17" font-weight="700" fill="${look.retries}">${name}</tspan><tspan dx="12">${does}</tspan>`
    return [
      `<g transform="translate(0,${HEAD + index * PANEL})">`,
      text(heading, { y: 20, size: 14, fill: colours.soft }),
      chart.replace(
        '<svg ',
        `<svg aria-hidden="true" y="${PANEL_HEAD}" width="${WIDTH}" height="${CHART}" `,
      ),
      text(formatCount(served), {
        y: 106,
        size: 44,
        weight: 700,
        fill: look.retries,
        isRight: true,
      }),
      text(`of ${formatCount(clients)} served`, {
        y: 131,
        size: 16,
        weight: 600,
        fill: colours.ink,
        isRight: true,
      }),
      text(`${formatCount(gaveUp)} gave up`, {
        y: 153,
        size: 14,
        fill: colours.soft,
        isRight: true,
      }),
      '</g>',
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="${FONT}" role="img" aria-labelledby="title">`,
    `<title id="title">${title}</title>`,
    text(title, { y: 28, size: 26, weight: 700, fill: colours.ink }),
    text(unit, { y: 56, size: 16, fill: colours.soft }),
    ...bodies.flat(),
    '</svg>',
    '',
  ].join('\n')
}

function labelFirstCalls({ callsPerSlot }: HerdResult): ChartLabel {
  const calls = callsPerSlot[0] ?? 0
  const text = `${formatCount(calls)}\nfirst calls`
  return { atMs: 0, calls, text, anchor: 'end', isBeside: true }
}

function tell([herd, calm]: [Panel, Panel]): string {
  const { retriesPerSlot, slotMs } = herd.result
  const teeth = findTeeth(herd.result).map(
    slot => `${formatCount(retriesPerSlot[slot] ?? 0)} calls after ${(slot * slotMs) / 1_000} s`,
  )
  const outcome = ({ result }: Panel) =>
    `${formatCount(result.served)} are served and ${formatCount(result.gaveUp)} give up`
  const peak = `${formatCount(calm.result.peakRetriesPerSlot)} in ${slotMs} ms`
  const lastMs = calm.result.callsPerSlot.length * slotMs
  return (
    `With ${herd.name} those come back together, as ${teeth.join(', ')}: ${outcome(herd)}. ` +
    `With ${calm.name} they come back spread over ${formatSeconds(lastMs)}, at most ${peak}: ${outcome(calm)}.`
  )
}

function tellConditions([herd, calm]: [Panel, Panel], capacityPerSlot: number): string {
  const { clients, slotMs, seed, totalCalls } = herd.result
  return (
    `Simulated with the shipped code: ${formatCount(clients)} browsers call at one moment; a server takes ` +
    `${formatCount(capacityPerSlot)} calls in each ${slotMs} ms and refuses the rest at once with 503; seed ${seed}. ` +
    `In all ${calm.name} makes ${formatCount(calm.result.totalCalls)} calls and ${herd.name} ${formatCount(totalCalls)}. ` +
    `\`pnpm storm ${FLAGS}\` prints the figures, \`pnpm picture\` draws them.`
  )
}

interface TextStyle {
  y: number
  size: number
  weight?: number
  fill: string
  isRight?: boolean
}

function text(content: string, { y, size, weight = 400, fill, isRight }: TextStyle): string {
  const place = isRight ? `x="${RIGHT}" y="${y}" text-anchor="end"` : `y="${y}"`
  return `<text ${place} font-size="${size}" font-weight="${weight}" fill="${fill}">${content}</text>`
}
