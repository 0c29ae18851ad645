import { describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutError, CircuitOpenError } from './errors.ts'
import { DOWN, scripted } from './testing-support/scripted-breaker.ts'

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
