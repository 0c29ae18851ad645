import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CircuitBreaker, type CircuitBreakerOptions, type CircuitState } from './circuit-breaker.ts'
import { CircuitOpenError } from './errors.ts'
import { type ManualClock, manualClock, seededRandom } from './testing/index.ts'

type Outcome = 'success' | 'failure' | 'neither'

interface ModelCall {
  startedAtMs: number
  /** The period it started in: each change of state begins one. */
  period: number
  hasEnded: boolean
}

/**
 * What the breaker should do, written down plainly: it keeps every call and every outcome for ever, and
 * works each answer out from all of them.
 */
class Reference {
  readonly options
  nowMs = 0
  calls: ModelCall[] = []
  outcomes: { period: number; atMs: number; failed: boolean; slow: boolean }[] = []
  periods: { state: CircuitState; fromMs: number; untilMs: number }[] = [
    { state: 'closed', fromMs: 0, untilMs: 0 },
  ]
  notified: CircuitState[] = []
  /** Hung probes that gave their slot up. */
  replaced = new Set<ModelCall>()

  constructor(options: Required<Omit<CircuitBreakerOptions, 'clock' | 'random' | 'isFailure'>>) {
    this.options = options
  }

  get period(): number {
    return this.periods.length - 1
  }

  get state(): CircuitState {
    return this.periods[this.period]?.state as CircuitState
  }

  /** Openings since the circuit was last closed. */
  get openings(): number {
    const states = this.periods.map(({ state }) => state)
    return states.slice(states.lastIndexOf('closed')).filter(state => state === 'open').length
  }

  /** Outcomes of this half-open time, cut into steps of 1, 2, 4... times the probes. */
  get step(): { size: number; outcomes: { failed: boolean; slow: boolean }[] } {
    let rest = this.outcomes.filter(({ period }) => period === this.period)
    let size = this.options.halfOpenProbes
    while (rest.length >= size) {
      rest = rest.slice(size)
      size *= 2
    }
    return { size, outcomes: rest }
  }

  /** The probes that hold slots: a hung one gives its slot up when another needs it. */
  get slots(): ModelCall[] {
    return this.calls.filter(
      call => call.period === this.period && !call.hasEnded && !this.replaced.has(call),
    )
  }

  get nextProbeAtMs(): number | undefined {
    if (this.state === 'closed') return undefined
    const openUntilMs = this.periods.findLast(({ state }) => state === 'open')?.untilMs
    if (this.state === 'open' || this.slots.length < this.step.size) return openUntilMs
    return (this.slots[0] as ModelCall).startedAtMs + this.options.probeTimeoutMs
  }

  /** @returns whether the call goes through */
  start(): boolean {
    const dueAtMs = this.nextProbeAtMs
    if (dueAtMs !== undefined && this.nowMs < dueAtMs) return false
    if (this.state === 'open') this.enter('half-open')
    const [oldest] = this.slots
    if (this.state === 'half-open' && this.slots.length >= this.step.size)
      this.replaced.add(oldest as ModelCall)
    this.calls.push({ startedAtMs: this.nowMs, period: this.period, hasEnded: false })
    return true
  }

  end(call: ModelCall, outcome: Outcome): void {
    if (call.hasEnded) return
    call.hasEnded = true
    if (call.period !== this.period) return
    const { state } = this
    if (outcome !== 'neither') {
      const slow = this.nowMs - call.startedAtMs > this.options.slowCallMs
      const failed = outcome === 'failure'
      const { size } = this.step
      const before = this.step.outcomes
      this.outcomes.push({ period: this.period, atMs: this.nowMs, failed, slow })
      this.judge(size, [...before, { failed, slow }])
    }
    if (state === 'half-open' && this.state === state) this.notified.push(state)
  }

  judge(size: number, step: { failed: boolean; slow: boolean }[]): void {
    const { windowMs, minimumCalls, failureRatio, slowCallRatio } = this.options
    const isBad = (outcomes: { failed: boolean; slow: boolean }[], of: number) =>
      outcomes.filter(({ failed }) => failed).length / of >= failureRatio ||
      outcomes.filter(({ slow }) => slow).length / of >= slowCallRatio
    if (this.state === 'closed') {
      const bucketOf = (ms: number) => Math.floor((ms * 10) / windowMs)
      const recent = this.outcomes.filter(
        ({ period, atMs }) => period === this.period && bucketOf(this.nowMs) - bucketOf(atMs) < 10,
      )
      if (recent.length >= minimumCalls && isBad(recent, recent.length)) this.enter('open')
    } else if (isBad(step, size)) this.enter('open')
    else if (step.length === size && size * 2 >= minimumCalls) this.enter('closed')
  }

  enter(state: CircuitState): void {
    this.periods.push({ state, fromMs: this.nowMs, untilMs: NaN })
    this.notified.push(state)
  }
}

interface Real {
  clock: ManualClock
  breaker: CircuitBreaker
  calls: { settle: (outcome: Outcome) => Promise<void>; cancel: () => void }[]
  notified: CircuitState[]
}

/** Both agree on everything that can be seen. */
function compare(model: Reference, { clock, breaker, calls, notified }: Real): void {
  expect(breaker.state).toBe(model.state)
  const { openMs, maxOpenMs } = model.options
  const latest = model.periods[model.period] as Reference['periods'][number]
  if (latest.state === 'open' && Number.isNaN(latest.untilMs)) {
    // The draw itself is the breaker's affair; what it may be is not.
    const longestMs = Math.min(maxOpenMs, openMs * 2 ** (model.openings - 1))
    const drawnMs = (breaker.nextProbeAtMs as number) - latest.fromMs
    expect(drawnMs).toBeGreaterThanOrEqual(longestMs / 2 - 1e-6)
    expect(drawnMs).toBeLessThanOrEqual(longestMs + 1e-6)
    latest.untilMs = breaker.nextProbeAtMs as number
  }
  expect(breaker.nextProbeAtMs).toBe(model.nextProbeAtMs)
  expect(calls.length).toBe(model.calls.length)
  expect(notified).toEqual(model.notified)
  expect(clock.pending).toBe(0)
}

class Advance implements fc.AsyncCommand<Reference, Real> {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
  check = () => true
  async run(model: Reference, real: Real) {
    model.nowMs += this.ms
    await real.clock.advance(this.ms)
    compare(model, real)
  }
  toString = () => `advance ${this.ms}`
}

/** To the moment at which the next call goes through. */
class AdvanceToProbe implements fc.AsyncCommand<Reference, Real> {
  check = (model: Readonly<Reference>) => (model.nextProbeAtMs ?? 0) > model.nowMs
  async run(model: Reference, real: Real) {
    const ms = (model.nextProbeAtMs as number) - model.nowMs
    model.nowMs += ms
    await real.clock.advance(ms)
    compare(model, real)
  }
  toString = () => 'advance to the probe'
}

class Start implements fc.AsyncCommand<Reference, Real> {
  check = () => true
  async run(model: Reference, real: Real) {
    const isLetThrough = model.start()
    const controller = new AbortController()
    let settle: Real['calls'][number]['settle'] | undefined
    const ended: Promise<unknown> = real.breaker
      .run(
        () =>
          new Promise((resolve, reject) => {
            settle = async outcome => {
              if (outcome === 'success') resolve('served')
              else reject({ status: outcome === 'failure' ? 503 : 404 })
              await ended
            }
          }),
        { signal: controller.signal },
      )
      .catch(error => error)
    expect(settle !== undefined).toBe(isLetThrough)
    if (settle) real.calls.push({ settle, cancel: () => controller.abort() })
    else expect(await ended).toBeInstanceOf(CircuitOpenError)
    compare(model, real)
  }
  toString = () => 'start'
}

class End implements fc.AsyncCommand<Reference, Real> {
  readonly pick: number
  readonly outcome: Outcome | 'cancel'
  constructor(pick: number, outcome: Outcome | 'cancel') {
    this.pick = pick
    this.outcome = outcome
  }
  check = ({ calls }: Readonly<Reference>) => calls.some(({ hasEnded }) => !hasEnded)
  async run(model: Reference, real: Real) {
    const running = model.calls.flatMap((call, index) => (call.hasEnded ? [] : [{ call, index }]))
    const { call, index } = running[this.pick % running.length] as (typeof running)[number]
    model.end(call, this.outcome === 'cancel' ? 'neither' : this.outcome)
    if (this.outcome === 'cancel') real.calls[index]?.cancel()
    else await real.calls[index]?.settle(this.outcome)
    compare(model, real)
  }
  toString = () => `end ${this.pick} as ${this.outcome}`
}

const anyOptions = fc.record({
  windowMs: fc.integer({ min: 10, max: 20_000 }),
  minimumCalls: fc.integer({ min: 1, max: 9 }),
  failureRatio: fc.constantFrom(0.001, 0.2, 0.5, 0.9, 1),
  slowCallMs: fc.constantFrom(100, 2_000, Infinity),
  slowCallRatio: fc.constantFrom(0.3, 1),
  openMs: fc.integer({ min: 1, max: 6_000 }),
  maxOpenMs: fc.integer({ min: 6_000, max: 20_000 }),
  halfOpenProbes: fc.integer({ min: 1, max: 4 }),
  probeTimeoutMs: fc.integer({ min: 1, max: 5_000 }),
})

const anyCommands = fc.commands(
  [
    fc.constant(new Start()),
    fc.constant(new Start()),
    fc.constant(new AdvanceToProbe()),
    fc.oneof(fc.nat(10), fc.nat(10_000)).map(ms => new Advance(ms)),
    fc.nat(20).map(pick => new End(pick, 'success')),
    fc.nat(20).map(pick => new End(pick, 'failure')),
    fc
      .record({ pick: fc.nat(20), outcome: fc.constantFrom('neither' as const, 'cancel' as const) })
      .map(({ pick, outcome }) => new End(pick, outcome)),
  ],
  { maxCommands: 120, size: 'max' },
)

describe('CircuitBreaker against a plain reference', () => {
  it('shows the same state, lets the same calls through and tells the same changes, whatever happens', async () => {
    const visited: Record<CircuitState, number> = { closed: 0, open: 0, 'half-open': 0 }
    let closedAgain = 0
    await fc.assert(
      fc.asyncProperty(anyOptions, fc.integer(), anyCommands, async (options, seed, commands) => {
        const model = new Reference(options)
        await fc.asyncModelRun(() => {
          const clock = manualClock()
          const breaker = new CircuitBreaker({ ...options, clock, random: seededRandom(seed) })
          const real: Real = { clock, breaker, calls: [], notified: [] }
          breaker.subscribe(state => real.notified.push(state))
          return { model, real }
        }, commands)
        for (const { state } of model.periods) visited[state]++
        closedAgain += model.periods.filter(({ state }) => state === 'closed').length - 1
      }),
      { numRuns: 300 },
    )
    // The commands are worth something only where they lead everywhere.
    expect(visited.open).toBeGreaterThan(300)
    expect(visited['half-open']).toBeGreaterThan(100)
    expect(closedAgain).toBeGreaterThan(30)
  }, 60_000)
})
