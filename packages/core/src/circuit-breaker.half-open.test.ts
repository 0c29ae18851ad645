import { describe, expect, it } from 'vitest'
import { CircuitOpenError } from './errors.ts'
import { DOWN, scripted } from './testing-support/scripted-breaker.ts'

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
