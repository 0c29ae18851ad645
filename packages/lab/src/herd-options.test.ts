import { RetryOptionError } from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import { type HerdOptions, resolveHerdOptions } from './herd-options.ts'

const HERD: HerdOptions = {
  clients: 10,
  capacityPerSlot: 1,
  slotMs: 100,
  policy: { delayMs: () => 1_000 },
  seed: 1,
}

describe('resolveHerdOptions', () => {
  it.each([
    ['clients', 0, 'a whole number from 1 to 10000000'],
    ['clients', 2.5, 'a whole number from 1 to 10000000'],
    ['clients', '10', 'a whole number from 1 to 10000000'],
    ['clients', undefined, 'a whole number from 1 to 10000000'],
    ['capacityPerSlot', -1, 'a number from 0 to 1000000000'],
    ['slotMs', 0, 'a number from 1 to 2147483647'],
    ['slotMs', NaN, 'a number from 1 to 2147483647'],
    ['answerMs', -1, 'a number from 0 to 2147483647'],
    ['queueLimit', 0.5, 'a whole number from 0 to Infinity'],
    ['outageMs', -1, 'a number from 0 to Infinity'],
    ['outageAtMs', Infinity, 'a number from 0 to 2147483647'],
    ['rejectStatus', 500, '503 or 429'],
    ['retryAfterMs', -1, 'a number from 0 to 2147483647'],
    ['lostAnswerRatio', 1.5, 'a number from 0 to 1'],
    ['arrivals', 'spread', 'a function'],
    ['budget', {}, 'a function'],
    ['policy', undefined, 'an object'],
    ['seed', -1, 'a whole number from 0 to 4294967295'],
    ['seed', undefined, 'a whole number from 0 to 4294967295'],
    ['untilMs', Infinity, 'a number from 1 to 1000000000'],
  ])('refuses %s of %j and says what it accepts: %s', (option, value, accepted) => {
    const options = { ...HERD, [option]: value }
    expect(() => resolveHerdOptions(options)).toThrow(RetryOptionError)
    expect(() => resolveHerdOptions(options)).toThrow(`${option} must be ${accepted}, but is`)
  })

  it('fills in a server that answers at the end of a slot, without queue, outage or loss', () => {
    expect(resolveHerdOptions(HERD)).toMatchObject({
      answerMs: 100,
      queueLimit: 0,
      outageMs: 0,
      rejectStatus: 503,
      lostAnswerRatio: 0,
      untilMs: 3_600_000,
    })
  })
})
