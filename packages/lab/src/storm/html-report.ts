import { compareHerds, tellWhatHappened } from './account.ts'
import { labelRetries } from './chart-labels.ts'
import {
  formatCount,
  formatReasons,
  formatSeconds,
  lastCallMs,
  type StormResult,
} from './figures.ts'
import { type ChartFrame, type ChartLook, drawHerd } from './herd-chart.ts'
import { STYLE } from './html-style.ts'
import { slotsPerBin } from './slot-bins.ts'

/** What a report is made of. */
export interface ReportContent {
  results: readonly StormResult[]
  /** What each policy does, in a line, by its name. */
  titles: Readonly<Record<string, string>>
  capacityPerSlot: number
  outage?: { fromMs: number; toMs: number }
  /** Every setting with its value, defaults included, in words. */
  settings: readonly (readonly [name: string, value: string])[]
  /** Prints the same figures again. */
  command: string
}

/** What all charts have in common. */
type Scales = Pick<ChartFrame, 'lastMs' | 'most'>

/** One for a desk and one for a phone: text in an SVG shrinks with it. */
const SIZES = [
  { name: 'wide', width: 880, height: 190, fontSize: 13 },
  { name: 'narrow', width: 300, height: 160, fontSize: 11 },
]

/** The page has these as variables, for light, dark and paper. */
const LOOK: ChartLook = {
  ink: 'currentColor',
  soft: 'var(--soft)',
  line: 'var(--line)',
  firstCalls: 'var(--first)',
  retries: 'var(--retries)',
  outage: 'var(--outage)',
  halo: 'var(--sheet)',
}

/** The report as one file: no script, nothing to be fetched, the charts inline. */
export function formatHtml(content: ReportContent): string {
  const { results, settings, command } = content
  const [{ clients, slotMs, seed } = { clients: 0, slotMs: 0, seed: 0 }] = results
  const perSecond = formatCount((content.capacityPerSlot / slotMs) * 1_000)
  const scales = {
    lastMs: lastCallMs(results),
    most: results.reduce((peak, { peakCallsPerSlot }) => Math.max(peak, peakCallsPerSlot), 1),
  }
  const title = `${formatCount(clients)} clients, ${perSecond} calls a second`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: retry policies compared</title>
<style>
${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>What ${results.length === 1 ? 'a retry policy does' : `${results.length} retry policies do`} to a server that takes
${formatCount(content.capacityPerSlot)} calls in ${formatCount(slotMs)} ms and refuses the rest${tellOutage(content.outage)}. Simulated from seed ${seed}.</p>
</header>
<main>
${results.length > 1 ? formatContests(results) : ''}
<section>
<h2 id="calls">Calls over time</h2>
<p class="key">${formatKey(content, scales)}</p>
${results.map((result, index) => formatPolicy(result, index, content, scales)).join('\n')}
</section>
<section>
<h2 id="figures">Figures</h2>
${formatFigures(results)}
</section>
<section>
<h2 id="settings">Settings</h2>
<dl>
${settings.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('\n')}
</dl>
<p>The same again:</p>
<pre><code>${escapeHtml(command)}</code></pre>
<p class="note">A refusal costs the simulated server nothing. Where refusing is expensive, a herd does more harm than is shown.</p>
</section>
</main>
</body>
</html>
`
}

function tellOutage(outage: ReportContent['outage']): string {
  if (!outage) return ''
  const { fromMs, toMs } = outage
  const until = toMs === Infinity ? 'the end' : formatSeconds(toMs)
  return `; from ${formatSeconds(fromMs)} to ${until} it refuses everything`
}

/** Also where the preset is not the best, in a column of its own. */
function formatContests(results: readonly StormResult[]): string {
  const contests = compareHerds(results)
  const hasPreset = contests.some(({ preset }) => preset !== undefined)
  const rows = contests.map(({ title, best, preset = '' }) => {
    const cells = [best, ...(hasPreset ? [preset] : [])].map(cell => `<td>${escapeHtml(cell)}</td>`)
    return `<tr><th scope="row">${title}</th>${cells.join('')}</tr>`
  })
  return `<section>
<h2 id="best">Who is best at what</h2>
<table class="plain">
<thead><tr><th scope="col">figure</th><th scope="col">best</th>${hasPreset ? '<th scope="col">the preset, where it is not</th>' : ''}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>`
}

/** What the shapes are, and how long each step of them is. */
function formatKey({ results, outage }: ReportContent, { lastMs }: Scales): string {
  const { slotMs = 0 } = results[0] ?? {}
  const bin = slotsPerBin(slotMs, lastMs)
  const step = `Calls in ${formatCount(slotMs)} ms${
    bin > 1 ? `, of the busiest such slot in each ${formatSeconds(bin * slotMs)}` : ''
  }`
  return `${step}. ${swatch('retries')} retries, ${swatch('first')} first calls, ${swatch('takes')} what the server takes${
    outage ? `, ${swatch('outage')} the outage` : ''
  }. All charts have the same scales.`
}

function swatch(name: string): string {
  return `<i class="swatch ${name}"></i>`
}

function formatPolicy(
  result: StormResult,
  index: number,
  { titles, capacityPerSlot, outage }: ReportContent,
  { lastMs, most }: Scales,
): string {
  const { policy } = result
  const account = escapeHtml(tellWhatHappened(result, capacityPerSlot))
  const charts = SIZES.map(({ name, width, height, fontSize }) => {
    const marginLeft = fontSize * 4
    const frame: ChartFrame = {
      width,
      height,
      lastMs,
      most,
      capacityPerSlot,
      marginLeft,
      callTicks: [0, most],
      outage,
      fontSize,
      look: LOOK,
    }
    const apartMs = (fontSize * 4 * lastMs) / (width - marginLeft)
    const id = `chart-${index + 1}-${name}`
    return drawHerd(result, frame, labelRetries(result, lastMs, apartMs)).replace(
      /^<svg (.*?)>/,
      `<svg $1 class="${name}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">Calls over time: ${escapeHtml(policy)}</title><desc id="${id}-text">${account}</desc>`,
    )
  })
  return `<article>
<h3>${escapeHtml(policy)}</h3>
<p class="title">${escapeHtml(titles[policy] ?? '')}</p>
<p>${keepUnits(account)}</p>
${charts.join('\n')}
</article>`
}

/** A number stays on one line with its unit. */
function keepUnits(text: string): string {
  return text.replace(/(\d) (m?s)\b/g, '$1\u00a0$2')
}

const COLUMNS: readonly (readonly [head: string, cell: (result: StormResult) => string])[] = [
  ['calls', ({ totalCalls }) => formatCount(totalCalls)],
  ['calls a client', r => formatCount(r.totalCalls / r.minimumCalls)],
  ['peak', ({ peakCallsPerSlot }) => formatCount(peakCallsPerSlot)],
  ['peak of retries', ({ peakRetriesPerSlot }) => formatCount(peakRetriesPerSlot)],
  ['served', ({ served }) => formatCount(served)],
  ['half served', ({ p50ServedAtMs }) => formatSeconds(p50ServedAtMs)],
  ['99 % served', ({ p99ServedAtMs }) => formatSeconds(p99ServedAtMs)],
  ['all served', ({ allServedAtMs }) => formatSeconds(allServedAtMs)],
  ['longest wait', ({ longestWaitMs }) => formatSeconds(longestWaitMs)],
]

/** The text alternative of all charts: it can be scrolled sideways, with the keyboard as well. */
function formatFigures(results: readonly StormResult[]): string {
  const rows = results.map(
    result =>
      `<tr><th scope="row">${escapeHtml(result.policy)}</th>${COLUMNS.map(([, cell]) => `<td>${cell(result)}</td>`).join('')}<td class="text">${formatReasons(result)}</td></tr>`,
  )
  const { clients = 0, slotMs = 0 } = results[0] ?? {}
  return `<div class="scroll" role="region" aria-labelledby="figures" tabindex="0">
<table>
<thead><tr><th scope="col">policy</th>${COLUMNS.map(([head]) => `<th scope="col">${head}</th>`).join('')}<th scope="col" class="text">gave up</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
<p class="note">Peaks are the most calls in ${formatCount(slotMs)} ms. With room for everybody there would be ${formatCount(clients)} calls, one a client. Times run from the start; a wait runs from a client’s first call to its answer or its end.</p>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ENTITIES[character] as string)
}
