import { afterEach, describe, expect, it, vi } from 'vitest'
import { CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts'
import { AttemptTimeoutError, CircuitOpenError, RetryOptionError } from './errors.ts'
import { manualClock, seededRandom } from './testing/index.ts'

const DOWN = { status: 503 }

/** A breaker on a manual clock that is open for exactly `openMs`, unless jitter is asked for. */
function scripted(options: CircuitBreakerOptions = {}) {
  const clock = manualClock()
  const breaker = new CircuitBreaker({ clock, random: () => 0.999_999, ...options })
  /** How often an operation was really called. */
  let calls = 0

  /** Starts a call that ends when it is told to. `ended` says how: a value, an error or the refusal. */
  const start = (signal?: AbortSignal) => {
    let answer = (_value?: unknown) => {}
    let fail = (_error: unknown) => {}
    const ended = breaker
      .run(
        () => {
          calls++
          return new Promise((resolve, reject) => {
            answer = resolve
            fail = reject
          })
        },
        { signal },
      )
      .catch(error => error)
    return {
      ended,
      answer(value?: unknown) {
        answer(value)
        return ended
      },
      fail(error: unknown) {
        fail(error)
        return ended
      },
    }
  }
  const answers = async (times: number) => {
    for (let n = 0; n < times; n++) await start().answer('ok')
  }
  const fails = async (times: number, error: unknown = DOWN) => {
    for (let n = 0; n < times; n++) await start().fail(error)
  }
  /** Opens the circuit with ten failures, and waits for the time of the first probe. */
  const untilProbe = async () => {
    await fails(10)
    expect(breaker.state).toBe('open')
    await clock.advance(5_000)
  }
  return { clock, breaker, start, answers, fails, untilProbe, calls: () => calls }
}

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

describe('CircuitBreaker, half-open', () => {
  it.each([1, 3, 7])('lets 20 callers make as many calls as there are probes: %d', async probes => {
    const { breaker, start, untilProbe, calls } = scripted({ halfOpenProbes: probes })
    await untilProbe()
    const before = calls()
    const callers = Array.from({ length: 20 }, () => start())
    expect(calls() - before).toBe(probes)
    const refusals = await Promise.all(callers.slice(probes).map(({ ended }) => ended))
    for (const refusal of refusals) {
      // All slots are taken: at the latest when the oldest probe counts as hung.
      expect(refusal).toMatchObject({ code: 'CIRCUIT_OPEN', nextProbeAtMs: 5_000 + 10_000 })
    }
    expect(breaker.state).toBe('half-open')
  })

  it('closes in steps of 1, 2, 4 and 8 calls at a time, not with the full flood', async () => {
    const { breaker, start, untilProbe, calls } = scripted()
    await untilProbe()
    const steps: number[] = []
    while (steps.length < 4) {
      expect(breaker.state).not.toBe('closed')
      const before = calls()
      const callers = Array.from({ length: 20 }, () => start())
      steps.push(calls() - before)
      for (const { answer } of callers.slice(0, steps.at(-1))) await answer()
    }
    expect(steps).toEqual([1, 2, 4, 8])
    expect(breaker.state).toBe('closed')
    expect(breaker.nextProbeAtMs).toBeUndefined()
  })

  it.each([
    { minimumCalls: 1, halfOpenProbes: 1 },
    { minimumCalls: 2, halfOpenProbes: 1 },
    { minimumCalls: 10, halfOpenProbes: 5 },
    { minimumCalls: 3, halfOpenProbes: 7 },
  ])('closes after a single step with %o: the next would have the minimum', async options => {
    const { breaker, fails, clock, answers } = scripted(options)
    await fails(options.minimumCalls)
    await clock.advance(5_000)
    await answers(options.halfOpenProbes - 1)
    expect(breaker.state).not.toBe('closed')
    await answers(1)
    expect(breaker.state).toBe('closed')
  })

  it('opens again on the first probe that fails', async () => {
    const { breaker, fails, untilProbe } = scripted()
    await untilProbe()
    await fails(1)
    expect(breaker.state).toBe('open')
    expect(breaker.nextProbeAtMs).toBe(15_000)
  })

  it('closes a dependency that fails one call of eight, below the ratio, and opens one that fails half', async () => {
    const { breaker, answers, fails, untilProbe } = scripted()
    await untilProbe()
    await answers(1 + 2 + 4)
    await fails(3)
    expect(breaker.state).toBe('half-open')
    await answers(5)
    expect(breaker.state).toBe('closed')

    const other = scripted()
    await other.untilProbe()
    await other.answers(1 + 2 + 4)
    await other.fails(4)
    expect(other.breaker.state).toBe('open')
  })

  it('begins to count anew once it has closed: 9 failures do not open it', async () => {
    const { breaker, answers, fails, untilProbe } = scripted()
    await untilProbe()
    await answers(15)
    expect(breaker.state).toBe('closed')
    await fails(9)
    expect(breaker.state).toBe('closed')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it('opens again where the probe is slow', async () => {
    const { clock, breaker, start, untilProbe } = scripted({ slowCallMs: 2_000 })
    await untilProbe()
    const probe = start()
    await clock.advance(2_001)
    await probe.answer()
    expect(breaker.state).toBe('open')
  })

  it('ignores late results of an older generation, success or failure', async () => {
    const { breaker, start, fails, untilProbe } = scripted({ halfOpenProbes: 2 })
    const early = [start(), start(), start()]
    await untilProbe()
    const probe = start()
    for (const { answer } of early.slice(0, 2)) await answer()
    await early[2]?.fail(DOWN)
    expect(breaker.state).toBe('half-open')
    // Had one of the early results counted, this first outcome of two would have closed the step or the circuit.
    await probe.answer()
    expect(breaker.state).toBe('half-open')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it('ignores a probe of an earlier half-open time, whose slot was never the new one’s', async () => {
    const { clock, breaker, start, untilProbe } = scripted({ halfOpenProbes: 2 })
    await untilProbe()
    const [late, failing] = [start(), start()]
    await failing.fail(DOWN)
    expect(breaker.state).toBe('open')
    await clock.advance(10_000)
    const probes = [start(), start()]
    expect(breaker.state).toBe('half-open')
    await late.fail(DOWN)
    expect(breaker.state).toBe('half-open')
    await expect(start().ended).resolves.toBeInstanceOf(CircuitOpenError)
    for (const { answer } of probes) await answer()
    expect(breaker.state).toBe('half-open')
  })

  it('frees the slot of a probe that hangs after probeTimeoutMs, to the millisecond', async () => {
    const { clock, breaker, start, untilProbe, calls } = scripted({ probeTimeoutMs: 3_000 })
    await untilProbe()
    start()
    const before = calls()
    await clock.advance(2_999)
    await expect(start().ended).resolves.toMatchObject({ nextProbeAtMs: 8_000 })
    await clock.advance(1)
    expect(breaker.nextProbeAtMs).toBe(8_000)
    const second = start()
    expect(calls()).toBe(before + 1)
    await expect(start().ended).resolves.toMatchObject({ nextProbeAtMs: 11_000 })
    await second.answer()
    expect(breaker.state).toBe('half-open')
  })

  it('hears a hung probe that fails after all: a gateway that gives up after 15 s opens the circuit again', async () => {
    const { clock, breaker, start, untilProbe } = scripted()
    await untilProbe()
    const hung = start()
    await clock.advance(10_000)
    start()
    await clock.advance(5_000)
    await hung.fail({ status: 504 })
    expect(breaker.state).toBe('open')
  })

  it('frees the slot of a probe that is answered with a 404, and learns nothing from it', async () => {
    const { breaker, fails, untilProbe, start, calls } = scripted()
    await untilProbe()
    await fails(1, { status: 404 })
    expect(breaker.state).toBe('half-open')
    const before = calls()
    start()
    start()
    expect(calls() - before).toBe(1)
  })
})

describe('CircuitBreaker, cancelled calls', () => {
  it('does not call an operation whose signal was aborted before, and rejects with the reason', async () => {
    const { breaker, start, untilProbe, calls } = scripted()
    await untilProbe()
    const reason = new Error('left the page')
    const before = calls()
    await expect(start(AbortSignal.abort(reason)).ended).resolves.toBe(reason)
    expect(calls()).toBe(before)
    expect(breaker.state).toBe('open')
  })

  it('frees the slot at once where a probe is cancelled, even one that ignores its signal', async () => {
    const { breaker, start, untilProbe, calls } = scripted()
    await untilProbe()
    const controller = new AbortController()
    const probe = start(controller.signal)
    await expect(start().ended).resolves.toBeInstanceOf(CircuitOpenError)
    controller.abort()
    const before = calls()
    const next = start()
    expect(calls()).toBe(before + 1)
    // What the cancelled one brings later is its caller's alone.
    await expect(probe.fail(DOWN)).resolves.toBe(DOWN)
    expect(breaker.state).toBe('half-open')
    await next.answer()
    expect(breaker.state).toBe('half-open')
  })

  it('counts a cancelled call as neither: ten of them and nine failures leave it closed', async () => {
    const { breaker, start, fails } = scripted()
    for (let n = 0; n < 10; n++) {
      const controller = new AbortController()
      const call = start(controller.signal)
      controller.abort(new Error('left the page'))
      await call.fail(DOWN)
    }
    await fails(9)
    expect(breaker.state).toBe('closed')
    await fails(1)
    expect(breaker.state).toBe('open')
  })

  it.each([
    ['AbortSignal.timeout', new DOMException('late', 'TimeoutError')],
    ['an attempt timeout', new AttemptTimeoutError(800)],
  ])(
    'counts a call that %s ends as a failure: nobody left, the dependency was late',
    async (_, reason) => {
      const { breaker, start } = scripted()
      for (let n = 0; n < 10; n++) {
        const controller = new AbortController()
        const call = start(controller.signal)
        controller.abort(reason)
        await call.fail(reason)
      }
      expect(breaker.state).toBe('open')
    },
  )

  it('leaves no listener on the signal, however the call ends', async () => {
    const { breaker } = scripted()
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    await breaker.run(async () => 'ok', { signal })
    await breaker.run(() => Promise.reject(DOWN), { signal }).catch(() => {})
    expect(add).toHaveBeenCalledTimes(2)
    expect(remove.mock.calls).toEqual(add.mock.calls)
  })
})

describe('CircuitBreaker.subscribe', () => {
  afterEach(() => vi.restoreAllMocks())

  it('tells each change of state, and each probe that ends, until it is unsubscribed', async () => {
    const { clock, breaker, fails, answers } = scripted({ minimumCalls: 4 })
    const changes: string[] = []
    const unsubscribe = breaker.subscribe((state, previous) => changes.push(`${previous} ${state}`))
    await fails(4)
    await clock.advance(5_000)
    expect(changes.splice(0)).toEqual(['closed open'])
    await fails(1, { status: 404 })
    expect(changes.splice(0)).toEqual(['open half-open', 'half-open half-open'])
    await fails(1)
    expect(changes.splice(0)).toEqual(['half-open open'])
    await clock.advance(10_000)
    await answers(3)
    expect(changes.splice(0)).toEqual([
      'open half-open',
      'half-open half-open',
      'half-open half-open',
      'half-open closed',
    ])
    await answers(5)
    expect(changes).toEqual([])
    unsubscribe()
    await fails(10)
    expect(changes).toEqual([])
    expect(breaker.state).toBe('open')
  })

  it('lets a listener that calls at once take no more than the free slots', async () => {
    const { breaker, start, untilProbe, calls } = scripted()
    await untilProbe()
    breaker.subscribe(() => start())
    const before = calls()
    start()
    expect(calls() - before).toBe(1)
  })

  it('reports a listener that throws, and disturbs neither the others nor the caller', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { breaker, start } = scripted({ minimumCalls: 1 })
    const mistake = new Error('listener')
    const other = vi.fn()
    breaker.subscribe(() => {
      throw mistake
    })
    breaker.subscribe(other)
    await expect(start().fail(DOWN)).resolves.toBe(DOWN)
    expect(other).toHaveBeenCalledWith('open', 'closed')
    expect(reported).toHaveBeenCalledWith(expect.any(String), mistake)
  })

  it.each(['isFailure', 'random'])(
    'reports what %s throws, and the caller still gets the operation’s own error',
    async option => {
      const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
      const mistake = new Error('option')
      const { breaker, start } = scripted({
        minimumCalls: 1,
        [option]: () => {
          throw mistake
        },
      })
      await expect(start().fail(DOWN)).resolves.toBe(DOWN)
      expect(reported).toHaveBeenCalledWith(expect.any(String), mistake)
      expect(breaker.state).toBe('closed')
    },
  )
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
    const breaker = new CircuitBreaker({ minimumCalls: 1 })
    const before = performance.now()
    await breaker.run(() => Promise.reject(DOWN)).catch(() => {})
    const openForMs = (breaker.nextProbeAtMs as number) - before
    expect(openForMs).toBeGreaterThanOrEqual(2_500)
    expect(openForMs).toBeLessThan(5_000 + 1_000)
  })
})
