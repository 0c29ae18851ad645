import { describe, expect, it, vi } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'
import { CircuitOpenError, RetryOptionError } from './errors.ts'
import { seededRandom } from './testing/index.ts'
import { DOWN, scripted } from './testing-support/scripted-breaker.ts'

describe('CircuitBreaker, closed', () => {
  it('gives back what the operation gives, and throws what it throws, untouched', async () => {
    const { breaker } = scripted()
    const error = new Error('mine')
    await expect(breaker.run(async () => 42)).resolves.toBe(42)
    await expect(breaker.run(() => 'at once')).resolves.toBe('at once')
    await expect(breaker.run(() => Promise.reject(error))).rejects.toBe(error)
    await expect(
      breaker.run(() => {
        throw error
      }),
    ).rejects.toBe(error)
    await expect(breaker.run(() => Promise.reject(undefined))).rejects.toBe(undefined)
  })

  it('does not open on 9 failures of 9 calls, and opens on the tenth', async () => {
    const { breaker, fails } = scripted()
    await fails(9)
    expect(breaker.state).toBe('closed')
    expect(breaker.nextProbeAtMs).toBeUndefined()
    await fails(1)
    expect(breaker.state).toBe('open')
    expect(breaker.nextProbeAtMs).toBe(5_000)
  })

  it('opens at half the calls, also where the one that makes the minimum is a success', async () => {
    const { breaker, answers, fails } = scripted()
    await answers(4)
    await fails(5)
    expect(breaker.state).toBe('closed')
    await answers(1)
    expect(breaker.state).toBe('open')
  })

  it('stays closed at 49 failures of 99 calls', async () => {
    const { breaker, answers, fails } = scripted()
    await answers(50)
    await fails(49)
    expect(breaker.state).toBe('closed')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it('forgets failures after 10 s', async () => {
    const { clock, breaker, fails } = scripted()
    await fails(9)
    await clock.advance(10_000)
    await fails(9)
    expect(breaker.state).toBe('closed')
  })

  it('stays closed on ten 400s, which count as neither: nine 503s among them are still nine', async () => {
    const { breaker, fails } = scripted()
    await fails(10, { status: 400 })
    expect(breaker.state).toBe('closed')
    await fails(9)
    await fails(10, { status: 404 })
    expect(breaker.state).toBe('closed')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it('counts neither aborts nor programming mistakes nor the refusals of another breaker', async () => {
    const { breaker, fails } = scripted()
    await fails(10, new DOMException('left', 'AbortError'))
    await fails(10, new TypeError('x is not a function'))
    await fails(10, new CircuitOpenError(5_000, 0))
    expect(breaker.state).toBe('closed')
  })

  it.each([
    [2_000, 'closed'],
    [2_001, 'open'],
  ])('is, where ten calls succeed after %d ms and slowCallMs is 2,000, %s', async (ms, state) => {
    const { clock, breaker, start } = scripted({ slowCallMs: 2_000, windowMs: 60_000 })
    for (let n = 0; n < 10; n++) {
      const call = start()
      await clock.advance(ms)
      await call.answer()
    }
    expect(breaker.state).toBe(state)
  })

  it('opens at the share of slow calls, 5 of 10, though none failed, and not at 4', async () => {
    const { clock, breaker, start, answers } = scripted({ slowCallMs: 100, slowCallRatio: 0.5 })
    const answerSlowly = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const call = start()
        await clock.advance(101)
        await call.answer()
      }
    }
    await answerSlowly(4)
    await answers(6)
    expect(breaker.state).toBe('closed')
    await answerSlowly(2)
    expect(breaker.state).toBe('open')
  })

  it('asks isFailure instead of its own reading where one is given', async () => {
    const { breaker, fails } = scripted({ isFailure: error => error === 'mine' })
    await fails(10)
    expect(breaker.state).toBe('closed')
    await fails(10, 'mine')
    expect(breaker.state).toBe('open')
  })

  it('shares nothing with another breaker', async () => {
    const one = scripted()
    const other = scripted()
    await one.fails(10)
    expect([one.breaker.state, other.breaker.state]).toEqual(['open', 'closed'])
    await expect(other.breaker.run(() => 'served')).resolves.toBe('served')
  })
})

describe('CircuitBreaker, open', () => {
  it('refuses at once, without calling, and says when a probe is due', async () => {
    const { clock, breaker, fails, start, calls } = scripted()
    await fails(10)
    await clock.advance(1_000)
    const refusal = await start().ended
    expect(refusal).toBeInstanceOf(CircuitOpenError)
    expect(refusal).toMatchObject({
      name: 'CircuitOpenError',
      code: 'CIRCUIT_OPEN',
      nextProbeAtMs: 5_000,
      message: expect.stringContaining('4000 ms'),
    })
    expect((refusal as CircuitOpenError).cause).toBeUndefined()
    expect(breaker.nextProbeAtMs).toBe(5_000)
    expect(calls()).toBe(10)
  })

  it('does not count refusals: a thousand of them leave the time of the probe as it was', async () => {
    const { clock, breaker, fails, start } = scripted()
    await fails(10)
    for (let n = 0; n < 1_000; n++) await start().ended
    expect(breaker.nextProbeAtMs).toBe(5_000)
    await clock.advance(5_000)
    start()
    expect(breaker.state).toBe('half-open')
  })

  it('keeps no timer, and stays open until a call comes', async () => {
    const { clock, breaker, untilProbe } = scripted()
    await untilProbe()
    await clock.advance(3_600_000)
    expect(clock.pending).toBe(0)
    expect(breaker.state).toBe('open')
    expect(breaker.nextProbeAtMs).toBe(5_000)
  })

  it('spreads the first probes of 1,000 clients over 2.5 to 5 s', async () => {
    const probesAtMs: number[] = []
    for (let seed = 0; seed < 1_000; seed++) {
      const { breaker, fails } = scripted({ random: seededRandom(seed), minimumCalls: 1 })
      await fails(1)
      probesAtMs.push(breaker.nextProbeAtMs as number)
    }
    expect(Math.min(...probesAtMs)).toBeGreaterThanOrEqual(2_500)
    expect(Math.min(...probesAtMs)).toBeLessThan(2_530)
    expect(Math.max(...probesAtMs)).toBeLessThanOrEqual(5_000)
    expect(Math.max(...probesAtMs)).toBeGreaterThan(4_970)
    const firstHalf = probesAtMs.filter(ms => ms < 3_750).length
    expect(Math.abs(firstHalf - 500)).toBeLessThan(60)
  })

  it('doubles the open time while probes fail, 5, 10, 20, 40, 60, 60 s, and starts again once it has closed', async () => {
    const { clock, breaker, fails, answers } = scripted({ minimumCalls: 2 })
    const openedForMs: number[] = []
    await fails(2)
    for (let n = 0; n < 6; n++) {
      const openMs = (breaker.nextProbeAtMs as number) - clock.nowMs()
      openedForMs.push(openMs)
      await clock.advance(openMs)
      if (n < 5) await fails(1)
    }
    expect(openedForMs).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
    await answers(1)
    expect(breaker.state).toBe('closed')
    await fails(2)
    expect((breaker.nextProbeAtMs as number) - clock.nowMs()).toBe(5_000)
  })

  it('is not closed by a slow success that started before it opened', async () => {
    const { clock, breaker, start, fails } = scripted()
    const early = start()
    await fails(10)
    await early.answer()
    expect(breaker.state).toBe('open')
    await clock.advance(5_000)
    expect(breaker.nextProbeAtMs).toBe(5_000)
  })
})

describe('CircuitBreaker, options', () => {
  const notDurations = [0, -1, NaN, Infinity, 2 ** 31, '5', null]
  const notCounts = [0, -1, 1.5, NaN, Infinity, '5']
  const notRatios = [0, -0.5, 1.01, NaN, '0.5']

  it.each(
    Object.entries({
      windowMs: notDurations,
      minimumCalls: notCounts,
      failureRatio: notRatios,
      slowCallMs: [0, -1, NaN, '5'],
      slowCallRatio: notRatios,
      openMs: notDurations,
      maxOpenMs: [...notDurations, 4_999],
      halfOpenProbes: notCounts,
      probeTimeoutMs: notDurations,
      isFailure: [true, null, {}],
      clock: [Date.now, 5, null],
      random: [0.5, null],
    }).flatMap(([option, values]) => values.map(value => ({ option, value, text: String(value) }))),
  )('refuses $option: $text, naming option, value and accepted range', ({ option, value }) => {
    let refusal: unknown
    try {
      new CircuitBreaker({ [option]: value })
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(RetryOptionError)
    expect(refusal).toMatchObject({ option, value })
    expect((refusal as Error).message).toMatch(
      new RegExp(`^${option} must be (an? .*number from [\\d.]+ to \\S+|an? \\w+), but is `),
    )
  })

  it('refuses an openMs above the default maxOpenMs of 60 s', () => {
    expect(() => new CircuitBreaker({ openMs: 60_001 })).toThrow(/^maxOpenMs must be .*60001/)
  })

  it('takes the default for an option given as undefined', async () => {
    const { breaker, fails } = scripted({ minimumCalls: undefined, failureRatio: undefined })
    await fails(9)
    expect(breaker.state).toBe('closed')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it('measures with the monotonic clock of the machine where none is given', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000_000)
    const breaker = new CircuitBreaker({ minimumCalls: 1, random: () => 0 })
    await breaker.run(() => Promise.reject(DOWN)).catch(() => {})
    now.mockRestore()
    expect(breaker.nextProbeAtMs).toBe(1_002_500)
  })
})
