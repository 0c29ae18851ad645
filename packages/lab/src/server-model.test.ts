import { classifyFailure } from '@query-retry/core'
import { seededRandom } from '@query-retry/core/testing'
import { describe, expect, it } from 'vitest'
import { resolveHerdOptions } from './herd-options.ts'
import { createServer, type ServerOptions } from './server-model.ts'

function serverWith(options: Partial<ServerOptions> = {}) {
  const policy = { delayMs: () => 0 }
  const defaults = { clients: 1, capacityPerSlot: 2, slotMs: 100, policy, seed: 1 }
  return createServer(resolveHerdOptions({ ...defaults, ...options }), seededRandom(1))
}

/** What calls at these instants come to: 200 or a status, and when the client has it. */
function answers(options: Partial<ServerOptions>, instants: number[]): [number, number][] {
  const server = serverWith(options)
  return instants.map(nowMs => {
    const { atMs, error } = server.receive(nowMs)
    return [(error as { status?: number } | undefined)?.status ?? 200, atMs]
  })
}

describe('createServer', () => {
  it('takes 2 calls in each slot of 100 ms, refuses the rest and answers all at the slot’s end', () => {
    expect(answers({}, [0, 40, 99, 100, 150, 199, 200])).toEqual([
      [200, 100],
      [200, 100],
      [503, 100],
      [200, 200],
      [200, 200],
      [503, 200],
      [200, 300],
    ])
  })

  it('does not save up what a slot left over', () => {
    expect(answers({}, [900, 901, 902]).map(([status]) => status)).toEqual([200, 200, 503])
  })

  it.each([
    { answerMs: 0, expected: [230, 270] },
    { answerMs: 50, expected: [250, 270] },
    { answerMs: 100, expected: [300, 300] },
    { answerMs: 250, expected: [450, 450] },
  ])('answers calls at 230 and 270 ms at $expected where answerMs is $answerMs', row => {
    const atMs = answers({ answerMs: row.answerMs }, [230, 270]).map(([, at]) => at)
    expect(atMs).toEqual(row.expected)
  })

  it('takes a capacity of 0.4 a slot as 2 calls in 5 slots', () => {
    const instants = Array.from({ length: 10 }, (_, slot) => slot * 100)
    const statuses = answers({ capacityPerSlot: 0.4 }, instants).map(([status]) => status)
    expect(statuses).toEqual([503, 503, 200, 503, 200, 503, 503, 200, 503, 200])
  })

  it('refuses everything at a capacity of 0', () => {
    expect(answers({ capacityPerSlot: 0 }, [0, 1_000])).toEqual([
      [503, 100],
      [503, 1_100],
    ])
  })

  it('lets 3 calls queue for later slots, in their order, and refuses the next', () => {
    expect(answers({ queueLimit: 3 }, [0, 1, 2, 3, 4, 5, 100])).toEqual([
      [200, 100],
      [200, 100],
      [200, 200],
      [200, 200],
      [200, 300],
      [503, 100],
      [200, 300],
    ])
  })

  it('lets calls queue for a capacity of 0.4 a slot, each for the slot that has room', () => {
    const options = { capacityPerSlot: 0.4, queueLimit: 9 }
    expect(answers(options, [0, 0, 0]).map(([, atMs]) => atMs)).toEqual([300, 500, 800])
  })

  it('refuses with 503 from outageAtMs on for outageMs, whatever rejectStatus says', () => {
    const options = { outageAtMs: 100, outageMs: 100, rejectStatus: 429 } as const
    expect(answers(options, [0, 1, 99, 100, 199, 200]).map(([status]) => status)).toEqual([
      200, 200, 429, 503, 503, 200,
    ])
  })

  it.each([
    { retryAfterMs: undefined, expected: undefined },
    { retryAfterMs: 5_000, expected: 5_000 },
    { retryAfterMs: 1_500, expected: 1_500 },
    { retryAfterMs: 0, expected: 0 },
  ])('asks for a wait that core reads as $expected where retryAfterMs is $retryAfterMs', row => {
    const { error } = serverWith({ capacityPerSlot: 0, retryAfterMs: row.retryAfterMs }).receive(0)
    expect(classifyFailure(error).serverWaitMs).toBe(row.expected)
  })

  it('loses 30 % of 10,000 answers, within 1 %, which core reads as a network failure', () => {
    const server = serverWith({ capacityPerSlot: 1e9, lostAnswerRatio: 0.3 })
    const errors = Array.from({ length: 10_000 }, () => server.receive(0).error)
    const lost = errors.filter(error => error !== undefined)
    expect(lost.length / 10_000).toBeCloseTo(0.3, 2)
    expect(classifyFailure(lost[0])).toMatchObject({ kind: 'network', retryable: true })
    expect(server.carriedOut).toBe(10_000)
  })

  it('draws an answer time for each call', () => {
    let drawn = 0
    const atMs = answers({ answerMs: () => ++drawn * 100 }, [0, 0]).map(([, at]) => at)
    expect(atMs).toEqual([100, 200])
  })

  it.each([NaN, -1, Infinity])('stops with a message where answerMs draws %d', value => {
    expect(() => serverWith({ answerMs: () => value }).receive(0)).toThrow(
      `answerMs must be a function that gives a finite number from 0, but is ${value}`,
    )
  })
})
