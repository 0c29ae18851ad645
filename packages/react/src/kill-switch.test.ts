import { describe, expect, it } from 'vitest'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const unavailable = { status: 503 }

describe('`enabled`', () => {
  it('false is TanStack without retries: one attempt, its own error', async () => {
    const { fetch, stopReasons } = startConversation({ enabled: () => false })
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 0, error: unavailable })
    expect(stopReasons()).toEqual(['disabled'])
  })

  it('is read at each decision: switched off at 1 s, the operation ends with the attempt after it', async () => {
    let isOn = true
    const { fetch, stopReasons } = startConversation({ enabled: () => isOn })
    const ending = fetch([{ fails: unavailable }])
    await advance(1_000)
    isOn = false
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 600, 1_700])
    expect(stopReasons()).toEqual(['disabled'])
  })

  it('applies to what is fetched after it was switched on again', async () => {
    let isOn = false
    const { fetch } = startConversation({ enabled: () => isOn })
    fetch([{ fails: unavailable }], ['off'])
    await advance(1_000)
    isOn = true
    const ending = fetch([{ fails: unavailable }], ['on'])
    await advance(60_000)
    expect(ending.sentAtMs).toHaveLength(5)
  })

  it('is asked once for each failure that would be retried, and not for others', async () => {
    let asked = 0
    const enabled = () => {
      asked++
      return true
    }
    const { fetch } = startConversation({ enabled, maxRetries: 2 })
    fetch([{ fails: { status: 404 } }], ['missing'])
    await advance(60_000)
    expect(asked).toBe(0)
    fetch([{ fails: unavailable }], ['down'])
    await advance(60_000)
    expect(asked).toBe(2)
  })
})
