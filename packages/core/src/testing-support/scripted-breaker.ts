import { expect } from 'vitest'
import { CircuitBreaker, type CircuitBreakerOptions } from '../circuit-breaker.ts'
import { manualClock } from '../testing/index.ts'

export const DOWN = { status: 503 }

/** A breaker on a manual clock that is open for exactly `openMs`, unless jitter is asked for. */
export function scripted(options: CircuitBreakerOptions = {}) {
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
