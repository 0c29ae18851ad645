import type { Violation } from './audit.ts'
import type { RunReport } from './run.ts'
import { listTargets } from './targets.ts'

const MOST_EXAMPLES = 5

/** The command that tries the same again. */
export function replayCommand(run: {
  seed: number
  orders: number
  variant?: string | undefined
}): string {
  const variant = run.variant === undefined ? '' : ` --variant ${run.variant}`
  return `pnpm chaos:server --seed ${run.seed} --orders ${run.orders}${variant}`
}

/** What happened in a run, as a table of names and counts, and what is wrong with it. */
export function formatReport({ plan, tally, violations, tookMs }: RunReport): string {
  const targets = listTargets(plan, tally)
  const rows = (prefix: string) => tally.list(prefix).map(({ name, count }) => row(name, count))
  return [
    ...section('', [
      row('orders', plan.orders.length),
      row('seconds', Math.round(tookMs / 1_000)),
      ...tally.list('requests: ').map(({ name, count }) => row(`requests: ${name}`, count)),
    ]),
    ...section('A payment was answered with', rows('payment: ')),
    ...section('Troubles', [
      row('', 'planned', 'hit'),
      ...targets.map(({ name, planned, hit }) => row(name, planned, hit)),
    ]),
    ...section('Besides', [
      row('crash at one of several', tally.count('crash@one of several')),
      row('start that failed', tally.count('failed start')),
    ]),
    ...section('Keys that changed hands', rows('taken over by ')),
    ...section('What look-ups found', rows('look-up found: ')),
    ...section('What fences found, or made', rows('fence found: ')),
    formatViolations(violations),
  ].join('\n')
}

/** `violations: 0`, or how many of each kind, with examples. */
export function formatViolations(violations: readonly Violation[]): string {
  const kinds = new Map<string, string[]>()
  for (const { kind, detail } of violations) kinds.set(kind, [...(kinds.get(kind) ?? []), detail])
  return [
    `violations: ${violations.length}`,
    ...[...kinds].flatMap(([kind, details]) => [
      `  ${kind}: ${details.length}`,
      ...details.slice(0, MOST_EXAMPLES).map(detail => `    ${detail}`),
    ]),
  ].join('\n')
}

function section(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [...(title ? [title] : []), ...rows, '']
}

function row(name: string, ...cells: (number | string)[]): string {
  return `  ${name.padEnd(36)}${cells.map(cell => String(cell).padStart(9)).join('')}`
}
