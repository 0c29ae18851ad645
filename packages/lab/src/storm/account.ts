import type { HerdResult } from '../herd-result.ts'
import { formatCount, formatSeconds, type StormResult } from './figures.ts'
import { findTeeth } from './teeth.ts'

/** Says in a few sentences what a policy made of the herd: how it came back, who was served, what it cost. */
export function tellWhatHappened(result: HerdResult, capacityPerSlot: number): string {
  return [tellReturn(result, capacityPerSlot), tellOutcome(result), tellCost(result)].join(' ')
}

function tellReturn(result: HerdResult, capacityPerSlot: number): string {
  const { retriesPerSlot, peakRetriesPerSlot, slotMs } = result
  if (peakRetriesPerSlot === 0) return 'Nobody retries.'
  const peak = `${formatCount(peakRetriesPerSlot)} in ${formatCount(slotMs)} ms`
  const times = peakRetriesPerSlot / capacityPerSlot
  const compared =
    capacityPerSlot === 0
      ? ''
      : times > 1
        ? `, ${formatCount(times)} times what the server takes`
        : ', which the server can take'
  const teeth = findTeeth(result).map(slot => formatSeconds(slot * slotMs))
  if (teeth.length === 1) {
    return `Retries come together at ${teeth[0]}: ${peak}${compared}.`
  }
  if (teeth.length > 1) {
    const shown = teeth.length > 4 ? [...teeth.slice(0, 3), 'so on'] : teeth
    const when = `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
    return `Retries come together at ${when}: up to ${peak}${compared}.`
  }
  const first = retriesPerSlot.findIndex(retries => retries > 0) * slotMs
  const last = retriesPerSlot.length * slotMs
  return `Retries come from ${formatSeconds(first)} to ${formatSeconds(last)}: at most ${peak}${compared}.`
}

function tellOutcome(result: HerdResult): string {
  const { clients, served, gaveUp, gaveUpBecause, stillTrying, longestWaitMs } = result
  const longest = `the longest wait is ${formatSeconds(longestWaitMs)}`
  if (served === clients) {
    return `All ${formatCount(clients)} are served, the last at ${formatSeconds(result.allServedAtMs)}; ${longest}.`
  }
  const parts = [
    `${served === 0 ? 'None' : formatCount(served)} of ${formatCount(clients)} ${served > 1 ? 'are' : 'is'} served`,
  ]
  if (gaveUp > 0) {
    const reasons = Object.entries(gaveUpBecause)
    const why =
      reasons.length === 1
        ? (reasons[0]?.[0] ?? '')
        : reasons.map(([reason, number]) => `${formatCount(number)} ${reason}`).join(', ')
    parts.push(`${formatCount(gaveUp)} give up (${why.replaceAll('-', ' ')})`)
  }
  if (stillTrying > 0) parts.push(`${formatCount(stillTrying)} still try when the run ends`)
  return `${parts.join(', ')}; ${longest}.`
}

function tellCost({ totalCalls, minimumCalls }: HerdResult): string {
  const times = formatCount(totalCalls / minimumCalls)
  return `${formatCount(totalCalls)} calls: ${times === '1' ? 'one' : times} for each client.`
}

/** What policies are compared by: the smallest figure is the best. */
interface Contest {
  title: string
  /** Undefined where the policy has no such figure. */
  figure(result: StormResult): number | undefined
  /** The figure in words. */
  tell(result: StormResult): string
  /** Said where no policy has the figure. */
  nobody?: string
}

const CONTESTS: readonly Contest[] = [
  {
    title: 'Most served',
    figure: ({ served }) => -served,
    tell: ({ served, clients }) => `${formatCount(served)} of ${formatCount(clients)}`,
  },
  {
    title: 'Lowest peak of retries',
    figure: ({ peakRetriesPerSlot }) => peakRetriesPerSlot,
    tell: ({ peakRetriesPerSlot, slotMs }) =>
      `${formatCount(peakRetriesPerSlot)} in ${formatCount(slotMs)} ms`,
  },
  {
    title: 'Fewest calls for each client served',
    figure: ({ totalCalls, served }) => (served > 0 ? totalCalls / served : undefined),
    tell: ({ totalCalls, served }) =>
      served > 0 ? formatCount(totalCalls / served) : 'nobody served',
    nobody: 'nobody is served',
  },
  {
    title: 'Half served soonest',
    figure: ({ p50ServedAtMs }) => p50ServedAtMs,
    tell: ({ p50ServedAtMs }) => formatSeconds(p50ServedAtMs),
    nobody: 'no policy serves half',
  },
  {
    title: 'All served soonest',
    figure: ({ allServedAtMs }) => allServedAtMs,
    tell: ({ allServedAtMs }) => formatSeconds(allServedAtMs),
    nobody: 'no policy serves everybody',
  },
  {
    title: 'Shortest longest wait',
    figure: ({ longestWaitMs }) => longestWaitMs,
    tell: result =>
      `${formatSeconds(result.longestWaitMs)}, with ${formatCount(result.served)} served`,
  },
]

/** Who is best at something, with the figure, and the preset's figure where it is compared and not the best. */
export interface ContestResult {
  title: string
  best: string
  preset?: string
}

/** Sets policies beside each other by each figure. Which figure matters is the reader's to say. */
export function compareHerds(results: readonly StormResult[]): ContestResult[] {
  return CONTESTS.map(({ title, figure, tell, nobody = '' }) => {
    const figures = results.map(figure).filter(number => number !== undefined)
    const best = Math.min(...figures)
    const winners = results.filter(result => figure(result) === best)
    const preset = results.find(({ policy }) => policy === 'preset')
    const [winner] = winners
    if (!winner) return { title, best: nobody }
    const names = winners.map(({ policy }) => policy).join(', ')
    const all = winners.length === results.length ? 'all the same' : names
    return {
      title,
      best: `${all}: ${tell(winner)}`,
      preset: preset && !winners.includes(preset) ? tell(preset) : undefined,
    }
  })
}
