import { describe, expect, it } from 'vitest'
import type { HerdOptions } from '../herd-options.ts'
import { COMPARED_POLICIES } from '../policies/compared-policies.ts'
import { simulateHerd } from '../simulate-herd.ts'
import { compareHerds, tellWhatHappened } from './account.ts'
import type { StormResult } from './figures.ts'

const HERD = { clients: 4_200, capacityPerSlot: 42, slotMs: 100, seed: 1 }

function storm(name: string, server: Partial<HerdOptions> = {}): StormResult {
  const compared = COMPARED_POLICIES.find(policy => policy.name === name)
  if (!compared) throw new Error(`no policy ${name}`)
  const { policy, budget } = compared
  return { policy: name, ...simulateHerd({ ...HERD, policy, budget, ...server }) }
}

function tell(name: string, server: Partial<HerdOptions> = {}): string {
  const { capacityPerSlot } = { ...HERD, ...server }
  return tellWhatHappened(storm(name, server), capacityPerSlot)
}

describe('tellWhatHappened', () => {
  it('says when a herd comes back together, who was served and what it cost', () => {
    expect(tell('tanstack')).toBe(
      'Retries come together at 1.1 s, 3.2 s and 7.3 s: up to 4,158 in 100 ms, 99 times what the server takes. ' +
        '168 of 4,200 are served, 4,032 give up (retries exhausted); the longest wait is 7.4 s. ' +
        '16,548 calls: 3.9 for each client.',
    )
  })

  it('says from when to when a spread lasts, and its peak, and that the preset does not serve everybody', () => {
    expect(tell('preset')).toBe(
      'Retries come from 0.3 s to 13.7 s: at most 649 in 100 ms, 15.5 times what the server takes. ' +
        '3,934 of 4,200 are served, 266 give up (retries exhausted); the longest wait is 13.7 s. ' +
        '17,198 calls: 4.1 for each client.',
    )
  })

  it.each([
    {
      what: 'all are served',
      server: { retryAfterMs: 5_000 },
      says: 'All 4,200 are served, the last at',
    },
    {
      what: 'nobody has to retry',
      server: { capacityPerSlot: 4_200 },
      says: 'Nobody retries. All 4,200 are served, the last at 0.1 s; the longest wait is 0.1 s. 4,200 calls: one for each client.',
    },
    {
      what: 'nobody is served',
      server: { capacityPerSlot: 0 },
      says: 'None of 4,200 is served, 4,200 give up',
    },
    {
      what: 'the server can take the retries',
      server: { clients: 50 },
      says: 'Retries come from 0.3 s to 1.1 s: at most 2 in 100 ms, which the server can take.',
    },
    {
      what: 'the run ends before they do',
      server: { untilMs: 5_000, capacityPerSlot: 0 },
      says: '515 give up (retries exhausted), 3,685 still try when the run ends; the longest wait is 5.0 s.',
    },
    {
      what: 'they give up for two reasons',
      server: { outageMs: 60_000, retryAfterMs: 12_000 },
      says: /give up \([\d,]+ [a-z ]+, [\d,]+ [a-z ]+\)/,
    },
  ])('says so where $what', ({ server, says }) => {
    const text = tell('preset', server)
    if (typeof says === 'string') expect(text).toContain(says)
    else expect(text).toMatch(says)
  })

  it('does not list every one of many teeth', () => {
    const policy = { delayMs: () => 1_000, maxRetries: 9 }
    const text = tellWhatHappened(simulateHerd({ ...HERD, policy }), 42)
    expect(text).toContain('Retries come together at 1.1 s, 2.2 s, 3.3 s and so on: up to 4,158')
  })
})

describe('compareHerds', () => {
  const contests = (...names: string[]) =>
    Object.fromEntries(
      compareHerds(names.map(name => storm(name))).map(({ title, ...rest }) => [title, rest]),
    )

  it('says where the preset is not the best, and its figure beside the best', () => {
    expect(contests('tanstack', 'preset', 'decorrelated')).toMatchObject({
      'Most served': { best: 'decorrelated: 4,182 of 4,200', preset: '3,934 of 4,200' },
      'Lowest peak of retries': { best: 'decorrelated: 266 in 100 ms', preset: '649 in 100 ms' },
      'Half served soonest': { best: 'preset: 5.2 s', preset: undefined },
      'All served soonest': { best: 'no policy serves everybody' },
      'Shortest longest wait': {
        best: 'tanstack: 7.4 s, with 168 served',
        preset: '13.7 s, with 3,934 served',
      },
    })
  })

  it('counts calls for each client served, so that giving up early is no saving', () => {
    const { 'Fewest calls for each client served': fewest } = contests('tanstack', 'preset')
    expect(fewest).toEqual({ best: 'preset: 4.4', preset: undefined })
  })

  it('names all winners, and says where all are the same', () => {
    const same = contests('tanstack', 'tanstack')
    expect(same['Most served']).toMatchObject({ best: 'all the same: 168 of 4,200' })
    const two = contests('tanstack', 'preset', 'tanstack')
    expect(two['Shortest longest wait']).toMatchObject({
      best: 'tanstack, tanstack: 7.4 s, with 168 served',
    })
  })
})
