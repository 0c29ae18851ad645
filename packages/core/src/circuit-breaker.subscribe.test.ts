import { afterEach, describe, expect, it, vi } from 'vitest'
import { DOWN, scripted } from './testing-support/scripted-breaker.ts'

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
