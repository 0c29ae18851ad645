import type { Violation } from './audit.ts'
import type { Chronicle } from './chronicle.ts'
import type { Evidence } from './evidence.ts'
import { DRAWN_FAULTS } from './request-faults.ts'
import type { RunReport } from './run.ts'

const MOST_EXAMPLES = 5
const MOST_STORIES = 3

const PAID_ELSEWHERE = 'paid in another browser while it paid'

/** What a large run has to have seen happen; what never did is not proved to be harmless. */
export const SITUATIONS = [
  'paid by click',
  'paid by double-click',
  'paid by enter-and-click',
  'paid by click while offline',
  'paid in two tabs at once',
  'paid in two tabs, by two cards',
  PAID_ELSEWHERE,
  'reloaded while it paid',
  'reloaded in doubt',
  'tab killed while it paid',
  'tab killed in doubt',
  'tab crashed while it paid',
  'second tab closed while it paid',
  'offline while it paid',
  'online again',
  'another card after a refusal',
  'checked again',
  'called off',
  'logged in again',
  'onSuccess threw',
] as const

/** The command that tries the same again. */
export function replayCommand(run: {
  seed: number
  checkouts: number
  client?: string | undefined
  unguarded?: boolean | undefined
}): string {
  const client = run.client === undefined ? '' : ` --client ${run.client}`
  const unguarded = run.unguarded ? ' --unguarded' : ''
  return `pnpm chaos:checkout --seed ${run.seed} --checkouts ${run.checkouts}${client}${unguarded}`
}

/** Situations and faults that the run was to meet and has not. */
export function listMissed({ tally, plan }: Pick<RunReport, 'tally' | 'plan'>): string[] {
  const hasPhones = plan.checkouts.some(({ steps }) =>
    steps.some(step => step.do === 'pay-elsewhere'),
  )
  return [
    ...SITUATIONS.filter(name => hasPhones || name !== PAID_ELSEWHERE).map(
      name => `happened: ${name}`,
    ),
    ...DRAWN_FAULTS.map(kind => `fault: ${kind}`),
    'fault: crash',
  ]
    .filter(name => tally.count(name) === 0)
    .map(name => name.replace(/^\w+: /, ''))
}

/** What happened in a run, as a table of names and counts, and what is wrong with it. */
export function formatReport(report: RunReport): string {
  const { plan, tally, evidence, violations, chronicle, tookMs } = report
  const { requests, ledger, ends } = evidence
  const rows = (prefix: string) => tally.list(prefix).map(({ name, count }) => row(name, count))
  const during = requests.filter(({ isCalm }) => !isCalm)
  const ended = (end: string) => ends.filter(each => each.end === end).length
  return [
    ...section('', [
      row('checkouts', plan.checkouts.length),
      row('seconds', Math.round(tookMs / 1_000)),
      row('charges', ledger.filter(({ status }) => status === 'captured').length),
      row('declined by the provider', ledger.filter(({ status }) => status === 'declined').length),
      row('intents that ended as succeeded', ended('succeeded')),
      row('intents that ended as rejected', ended('rejected')),
      row('intents that did not end', ended('stuck')),
    ]),
    ...section('Requests', [
      row('all', requests.length),
      row('with a fault', countFaulty(requests), share(requests)),
      row('repeated by the browser itself', countRepeats(evidence)),
      row('before the calm end', during.length),
      row('with a fault', countFaulty(during), share(during)),
      ...rows('requests: '),
    ]),
    ...section('Faults', rows('fault: ')),
    ...section('What happened', rows('happened: ')),
    ...section('Steps that failed', rows('failed: ')),
    formatViolations(violations, chronicle),
  ].join('\n')
}

/** `violations: 0`, or how many of each kind, with examples and the stories of some. */
export function formatViolations(
  violations: readonly Violation[],
  chronicle?: Pick<Chronicle, 'read'>,
): string {
  const kinds = new Map<string, string[]>()
  for (const { kind, detail } of violations) kinds.set(kind, [...(kinds.get(kind) ?? []), detail])
  const checkouts = new Set(violations.flatMap(({ checkout }) => checkout ?? []))
  const told = chronicle ? [...checkouts].slice(0, MOST_STORIES) : []
  return [
    `violations: ${violations.length}`,
    ...[...kinds].flatMap(([kind, details]) => [
      `  ${kind}: ${details.length}`,
      ...details.slice(0, MOST_EXAMPLES).map(detail => `    ${detail}`),
    ]),
    ...told.flatMap(name => [`  the story of ${name}`, ...indent(chronicle?.read(name) ?? [])]),
  ].join('\n')
}

export function countFaulty(requests: RunReport['evidence']['requests']): number {
  return requests.filter(({ fault }) => fault !== undefined).length
}

/** Payments that came to the front oftener than the client sent them: after a 401 it sends another. */
export function countRepeats({ requests, ends }: Pick<Evidence, 'requests' | 'ends'>): number {
  const sent = new Map<string, number>()
  for (const { key, dispatchCount } of ends.flatMap(({ journal }) => journal))
    sent.set(key, Math.max(dispatchCount, sent.get(key) ?? 0))
  const came = new Map<string, number>()
  for (const { kind, key, told } of requests) {
    if (kind === 'pay' && key && told?.status !== 401) came.set(key, 1 + (came.get(key) ?? 0))
  }
  return [...came].reduce(
    (sum, [key, count]) => sum + Math.max(0, count - (sent.get(key) ?? count)),
    0,
  )
}

function share(requests: RunReport['evidence']['requests']): string {
  return `${((100 * countFaulty(requests)) / Math.max(1, requests.length)).toFixed(1)} %`
}

function indent(lines: readonly string[]): string[] {
  return lines.map(line => `    ${line}`)
}

function section(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [...(title ? [title] : []), ...rows, '']
}

function row(name: string, ...cells: (number | string)[]): string {
  return `  ${name.padEnd(44)}${cells.map(cell => String(cell).padStart(9)).join('')}`
}
