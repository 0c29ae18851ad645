import { CHECKPOINTS, type Checkpoint } from '../src/idempotency/checkpoint.ts'
import type { ProviderFault } from '../src/provider/fault.ts'
import type { Draws } from './draws.ts'

/** Leases in a run are this short, so that taking over happens every second. */
export const LEASE_MS = 1_000
/** How long a worker waits for the provider. */
export const PROVIDER_TIMEOUT_MS = 400

/** One thing that a client does; the next one follows after a pause. */
export interface Attempt {
  action: 'pay' | 'look-up' | 'fence' | 'wrong-payload'
  /** Which worker hears it. */
  worker: number
  /** The `Fault-At` header: where the worker crashes or freezes. */
  faultAt?: string
  /** The client hangs up this long after it has sent its request. */
  hangsUpAfterMs?: number
  /** Jitter of the pause after it: 0.5 to 1.5 of what the server asks for. */
  pauseRatio: number
}

/** What a situation says of a client; the rest is drawn. */
export interface ClientScript {
  startsAfterMs: number
  /** Its first attempts, in order. What they leave open is drawn. */
  attempts?: readonly Partial<Attempt>[]
  /** Goes away after its scripted attempts and never asks again. */
  leaves?: boolean
}

export type Card = 'card_ok' | 'card_declined' | 'card_expired'

/** Two keys with two clients each: `a1` and `a2` share key a, `b1` and `b2` key b. */
export interface Situation {
  cards?: { a?: Card; b?: Card }
  providerFaults?: readonly ProviderFault[]
  a1: ClientScript
  a2: ClientScript
  b1: ClientScript
  b2: ClientScript
}

type Direct = (draws: Draws) => Situation

const soon = (draws: Draws): ClientScript => ({ startsAfterMs: draws.between(100, 500) })
const later = (draws: Draws): ClientScript => ({
  startsAfterMs: draws.between(LEASE_MS + 500, LEASE_MS + 1_000),
})
const others = (draws: Draws) => ({ a2: soon(draws), b1: soon(draws), b2: soon(draws) })
const beyondLease = (draws: Draws) => LEASE_MS + draws.between(100, 600)

/** Hits the charge that is asked for first, and answers nothing that decides anything. */
const unknownOnce = (draws: Draws): ProviderFault[] => [
  { kind: draws.oneOf(['lost-before', 'lost-after', 'down']), calls: 1 },
]

/** One worker ends, or stands still beyond its lease, at a checkpoint; who comes second goes on. */
const workerFails = (faultAt: (draws: Draws) => string, checkpoint: Checkpoint): Direct => {
  return draws => {
    const fault = faultAt(draws)
    // Mostly apart: who is to wake up again must not share a process with everybody who crashes.
    const worker = fault.startsWith('crash') === draws.chance(0.8) ? 0 : 1
    return {
      // A worker lets go of a key only where the outcome is unknown.
      ...(checkpoint === 'released' && { providerFaults: unknownOnce(draws) }),
      a1: { startsAfterMs: 0, attempts: [{ faultAt: fault, worker }] },
      ...others(draws),
    }
  }
}

const providerFails = (faults: (draws: Draws) => ProviderFault[]): Direct => {
  return draws => ({
    providerFaults: faults(draws),
    a1: { startsAfterMs: 0 },
    ...others(draws),
  })
}

/** Both clients of a key go away; only the completer is left to finish what they began. */
const abandoned = (
  attempt: Partial<Attempt>,
  faults?: (draws: Draws) => ProviderFault[],
): Direct => {
  return draws => ({
    ...(faults && { providerFaults: faults(draws) }),
    a1: { startsAfterMs: 0, attempts: [attempt], leaves: true },
    a2: { startsAfterMs: 0, attempts: [{ action: 'look-up' }], leaves: true },
    b1: { startsAfterMs: draws.between(50, 300) },
    b2: later(draws),
  })
}

/** Situations that end a process. */
export const CRASHES: Readonly<Record<string, Direct>> = {
  ...Object.fromEntries(
    CHECKPOINTS.map(checkpoint => [
      `crash-${checkpoint}`,
      workerFails(() => `crash@${checkpoint}`, checkpoint),
    ]),
  ),
  'declined-crash': draws => ({
    cards: { a: 'card_declined' },
    a1: { startsAfterMs: 0, attempts: [{ faultAt: 'crash@performed' }] },
    ...others(draws),
  }),
  'abandoned-claimed': abandoned({ faultAt: 'crash@claimed' }),
  'abandoned-performed': abandoned({ faultAt: 'crash@performed' }),
}

/**
 * What can happen to one order, by name. Runs deal them like cards, so that each comes up as often as
 * any other; everything that a situation leaves open is drawn for each order anew.
 */
export const SITUATIONS: Readonly<Record<string, Direct>> = {
  ...CRASHES,
  ...Object.fromEntries(
    CHECKPOINTS.map(checkpoint => [
      `freeze-${checkpoint}`,
      workerFails(draws => `freeze@${checkpoint}:${beyondLease(draws)}`, checkpoint),
    ]),
  ),

  'lost-before': providerFails(draws => [{ kind: 'lost-before', calls: draws.between(1, 2) }]),
  'lost-after': providerFails(draws => [{ kind: 'lost-after', calls: draws.between(1, 2) }]),
  'late-apply': providerFails(draws => [
    { kind: 'late-apply', delayMs: draws.between(100, 1_200), calls: draws.between(1, 2) },
  ]),
  slow: providerFails(draws => [
    { kind: 'slow', delayMs: PROVIDER_TIMEOUT_MS + draws.between(50, 300), calls: 1 },
  ]),
  down: providerFails(draws => [{ kind: 'down', calls: draws.between(1, 3) }]),
  'provider-declines': providerFails(() => [
    { kind: 'decline', declineCode: 'lost-card', calls: 1 },
  ]),

  /** The worker wakes up when its key is burnt, and the other key has paid or is about to. */
  'fence-frozen': draws => ({
    a1: { startsAfterMs: 0, attempts: [{ faultAt: `freeze@claimed:${beyondLease(draws)}` }] },
    a2: { startsAfterMs: draws.between(100, 300), attempts: [{ action: 'fence' }] },
    b1: draws.chance(0.5) ? soon(draws) : later(draws),
    b2: later(draws),
  }),
  'fence-first': draws => ({
    a1: { startsAfterMs: 0, attempts: [{ action: 'fence' }] },
    a2: { startsAfterMs: draws.between(0, 60) },
    b1: soon(draws),
    b2: soon(draws),
  }),
  'fence-race': draws => ({
    a1: { startsAfterMs: draws.between(0, 15) },
    a2: { startsAfterMs: draws.between(0, 30), attempts: [{ action: 'fence' }] },
    b1: soon(draws),
    b2: soon(draws),
  }),
  /** Nobody heard what came of it, and the visitor gives the key up rather than ask again. */
  'fence-unknown': draws => ({
    providerFaults: unknownOnce(draws),
    a1: { startsAfterMs: 0, attempts: [{ hangsUpAfterMs: draws.between(0, 40) }], leaves: true },
    a2: { startsAfterMs: draws.between(50, 600), attempts: [{ action: 'fence' }] },
    b1: soon(draws),
    b2: later(draws),
  }),

  declined: draws => ({
    cards: { a: 'card_declined' },
    a1: { startsAfterMs: 0 },
    ...others(draws),
  }),
  'declined-twice': draws => ({
    cards: { a: 'card_declined', b: 'card_expired' },
    a1: { startsAfterMs: 0 },
    ...others(draws),
  }),
  'declined-unknown': draws => ({
    cards: { a: 'card_declined', b: 'card_expired' },
    providerFaults: unknownOnce(draws),
    a1: { startsAfterMs: 0 },
    ...others(draws),
  }),

  'abandoned-unknown': abandoned({}, unknownOnce),
  'abandoned-frozen': draws =>
    abandoned({ faultAt: `freeze@started:${beyondLease(draws)}`, hangsUpAfterMs: 50 })(draws),

  /** The right request is at work, or stands still, while another comes under its key. */
  'wrong-payload': draws => ({
    a1: { startsAfterMs: 0, attempts: [{ faultAt: `freeze@claimed:${draws.between(200, 500)}` }] },
    a2: { startsAfterMs: draws.between(0, 100), attempts: [{ action: 'wrong-payload' }] },
    b1: soon(draws),
    b2: { startsAfterMs: 0, attempts: [{ action: 'wrong-payload' }, { action: 'wrong-payload' }] },
  }),
  'wrong-payload-unknown': draws => ({
    providerFaults: unknownOnce(draws),
    a1: { startsAfterMs: 0 },
    a2: { startsAfterMs: draws.between(0, 50), attempts: [{ action: 'wrong-payload' }] },
    b1: later(draws),
    b2: later(draws),
  }),

  'look-ups': draws => {
    const asks = (): ClientScript => ({
      startsAfterMs: draws.between(0, 200),
      attempts: [{ action: 'look-up' }, { action: 'pay' }, { action: 'look-up' }],
    })
    return { a1: asks(), a2: asks(), b1: asks(), b2: asks() }
  },
  'lost-responses': draws => {
    const hangsUp = (): ClientScript => ({
      startsAfterMs: draws.between(0, 60),
      attempts: [
        { hangsUpAfterMs: draws.between(0, 30) },
        { hangsUpAfterMs: draws.between(0, 30) },
      ],
    })
    return { a1: hangsUp(), a2: hangsUp(), b1: hangsUp(), b2: hangsUp() }
  },
  /** Nothing but four clients in one instant. */
  'all-at-once': () => ({
    a1: { startsAfterMs: 0 },
    a2: { startsAfterMs: 0 },
    b1: { startsAfterMs: 0 },
    b2: { startsAfterMs: 0 },
  }),
}
