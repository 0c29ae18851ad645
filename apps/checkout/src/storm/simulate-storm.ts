import { type HerdOptions, type HerdResult, simulateHerd } from '@query-retry/lab'
import { policyNamed, SLOT_MS, type StormSettings, UNTIL_MS } from './storm-settings.ts'

/** The settings with what each of their two policies made of them. */
export interface StormOutcome {
  settings: StormSettings
  results: readonly [HerdResult, HerdResult]
}

/** The lab's options for one of the two policies of a storm. Always the same draws: a link shows one picture. */
export function herdOf(settings: StormSettings, side: 0 | 1): HerdOptions {
  const { clients, capacity, outageMs, retryAfterMs, policies } = settings
  const { policy, budget } = policyNamed(policies[side], settings)
  return {
    clients,
    capacityPerSlot: (capacity * SLOT_MS) / 1_000,
    slotMs: SLOT_MS,
    outageMs,
    retryAfterMs,
    policy,
    budget,
    untilMs: UNTIL_MS,
    seed: 1,
  }
}

/** @param onProgress - told from 0 to 1 what share of the clients, over both policies, is done */
export function simulateStorm(
  settings: StormSettings,
  onProgress: (ratio: number) => void,
): StormOutcome {
  const simulate = (side: 0 | 1) =>
    simulateHerd({
      ...herdOf(settings, side),
      onProgress: done => onProgress((side + done / settings.clients) / 2),
    })
  return { settings, results: [simulate(0), simulate(1)] }
}
