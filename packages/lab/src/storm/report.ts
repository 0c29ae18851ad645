import { formatCount, formatReasons, formatSeconds, type StormResult } from './figures.ts'
import { sparkline } from './sparkline.ts'

/** Columns of the curves. */
const WIDTH = 48

/** A line for each policy, with its retries over time. All curves have the same scale and the same time. */
export function formatTable(results: readonly StormResult[]): string {
  const most = results.reduce((peak, result) => Math.max(peak, result.peakRetriesPerSlot), 0)
  const length = results.reduce((slots, result) => Math.max(slots, result.callsPerSlot.length), 0)
  const slotMs = results[0]?.slotMs ?? 0
  const lastMs = length * slotMs
  const rows = results.map(result => [
    result.policy,
    formatCount(result.totalCalls),
    formatCount(result.peakRetriesPerSlot),
    formatCount(result.served),
    formatSeconds(result.p50ServedAtMs),
    formatSeconds(result.allServedAtMs),
    formatSeconds(result.longestWaitMs),
    sparkline(result.retriesPerSlot, { width: WIDTH, length, most }).padEnd(WIDTH),
    formatReasons(result),
  ])
  const header = [
    'policy',
    'calls',
    'peak',
    'served',
    'half',
    'all',
    'longest wait',
    `retries, 0 to ${formatSeconds(lastMs)}, a full bar is ${formatCount(most)}`.padEnd(WIDTH),
    'gave up',
  ]
  const legend = `peak: the most retries in ${slotMs} ms. half, all: when so many clients were served.`
  return `${alignColumns([header, ...rows])}\n\n${legend}\n`
}

/** Numbers to the right, text to the left. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const [header = []] = rows
  const widths = header.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const isText = (column: number) => column === 0 || column >= 7
  return rows
    .map(row =>
      row
        .map((cell, column) => {
          const width = widths[column] as number
          return isText(column) ? cell.padEnd(width) : cell.padStart(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Everything, curves included; a figure that does not exist is null. */
export function formatJson(results: readonly StormResult[]): string {
  return `${JSON.stringify(results, (_, value) => value ?? null, 2)}\n`
}

const CSV_COLUMNS = [
  'policy',
  'seed',
  'clients',
  'totalCalls',
  'minimumCalls',
  'carriedOut',
  'peakCallsPerSlot',
  'peakRetriesPerSlot',
  'slotMs',
  'served',
  'gaveUp',
  'stillTrying',
  'p50ServedAtMs',
  'p99ServedAtMs',
  'allServedAtMs',
  'longestWaitMs',
] as const satisfies (keyof StormResult)[]

/** The figures without the curves; one that does not exist is empty. */
export function formatCsv(results: readonly StormResult[]): string {
  const rows = results.map(result => CSV_COLUMNS.map(column => result[column] ?? ''))
  return [CSV_COLUMNS, ...rows].map(row => `${row.join(',')}\n`).join('')
}
