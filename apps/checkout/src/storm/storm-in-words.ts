import type { HerdResult } from '@query-retry/lab'
import { retryPeakAtMs } from './plot-columns.ts'
import type { StormOutcome } from './simulate-storm.ts'
import { SLOT_MS, type StormSettings, UNTIL_MS } from './storm-settings.ts'
import type { StormWords } from './use-storm-words.ts'

/** What a curve shows, for those who do not see it. */
export function curveInWords(
  result: HerdResult,
  { capacity }: StormSettings,
  words: StormWords,
): string {
  const { count, time, ratio, curve } = words
  const first = curve.first(count(result.clients))
  const peakAtMs = retryPeakAtMs(result)
  if (peakAtMs === undefined) return `${first} ${curve.noRetries}`
  const { peakRetriesPerSlot, callsPerSlot, slotMs } = result
  const perSlot = (capacity * slotMs) / 1_000
  const load =
    peakRetriesPerSlot > perSlot
      ? curve.timesCapacity(ratio(peakRetriesPerSlot / perSlot))
      : curve.belowCapacity
  const peak = curve.peak(count(peakRetriesPerSlot), time(slotMs), time(peakAtMs))
  return `${first} ${peak}${load} ${curve.end(time((callsPerSlot.length - 1) * slotMs))}`
}

/** The two compared, in a sentence on what the server bears and one on what the clients get. */
export function verdictInWords({ settings, results }: StormOutcome, words: StormWords): string {
  const { count, verdict } = words
  const [first, second] = results
  const served =
    first.served === second.served
      ? verdict.sameServed(count(first.served), count(settings.clients))
      : verdict.served(count(first.served), count(second.served), count(settings.clients))
  return `${peaksInWords(settings, results, words)} ${served}`
}

function peaksInWords(
  { policies }: StormSettings,
  [first, second]: StormOutcome['results'],
  { verdict, count, ratio, time, policy }: StormWords,
): string {
  const [many, others] = [first.peakRetriesPerSlot, second.peakRetriesPerSlot]
  const slot = time(SLOT_MS)
  if (many === others) return many === 0 ? verdict.noRetries : verdict.samePeaks(slot, count(many))
  const [one, other] = [policy(policies[0]).name, policy(policies[1]).name]
  const peaks = verdict.peaks(slot, one, count(many), other, count(others))
  const fewest = Math.min(many, others)
  return fewest === 0
    ? `${peaks}.`
    : `${peaks}${verdict.ratio(ratio(many / fewest), ratio(others / fewest))}`
}

/** A line of the figures under a curve. */
export interface Figure {
  name: keyof StormWords['figures']
  value: string
  /** What makes the value mean something. */
  details: string[]
}

/** The figures of one policy. Without a result yet they are lines to be filled. */
export function figuresInWords(
  result: HerdResult | undefined,
  { capacity }: StormSettings,
  words: StormWords,
): Figure[] {
  const { count, instant, ratio, short, percent, time } = words
  const line = (name: Figure['name'], value?: string, ...details: (string | undefined)[]) => ({
    name,
    value: value ?? '–',
    details: details.filter(detail => detail !== undefined),
  })
  if (!result) return FIGURES.map(name => line(name))
  const { totalCalls, minimumCalls, clients, served } = result
  const lost = clients - served
  return [
    line(
      'totalCalls',
      count(totalCalls),
      words.minimum(ratio(totalCalls / minimumCalls), count(minimumCalls)),
    ),
    line(
      'peak',
      count(result.peakRetriesPerSlot),
      words.inSlot(time(result.slotMs), short((capacity * result.slotMs) / 1_000)),
    ),
    line('served', count(served), words.ofAll(percent(served / clients))),
    line('half', instant(result.p50ServedAtMs)),
    line('all', instant(result.allServedAtMs)),
    line(
      'gaveUp',
      lost > 0 ? count(result.gaveUp) : words.nobody,
      ...reasonsInWords(result, words),
    ),
    line('longestWait', time(result.longestWaitMs)),
  ]
}

const FIGURES: Figure['name'][] = [
  'totalCalls',
  'peak',
  'served',
  'half',
  'all',
  'gaveUp',
  'longestWait',
]

function reasonsInWords({ gaveUpBecause, stillTrying }: HerdResult, words: StormWords): string[] {
  const reasons = Object.entries(gaveUpBecause).sort(([, one], [, other]) => other - one)
  const inWords = reasons.map(([reason, clients]) => {
    const why = words.reasons[reason] ?? reason
    // One reason for all needs no number of its own.
    return reasons.length === 1 ? why : words.because(words.count(clients), why)
  })
  if (stillTrying === 0) return inWords
  return [...inWords, words.stillTrying(words.count(stillTrying), words.time(UNTIL_MS))]
}
