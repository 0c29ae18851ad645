import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningProvider, startProvider } from './provider.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await startProvider()
})
afterEach(() => send('DELETE'))
afterAll(() => provider.close())

function send(method: string, body?: string): Promise<Response> {
  return fetch(`${provider.url}/faults`, { method, ...(body !== undefined && { body }) })
}

async function readPlan() {
  return (await (await send('GET')).json()).faults
}

describe('the fault plan over HTTP', () => {
  it('PUT replaces the plan, POST adds to its end, DELETE empties it', async () => {
    const put = await send('PUT', '{"faults":[{"kind":"lost-before"}]}')
    expect(put.status).toBe(200)
    expect(await put.json()).toEqual({ faults: [{ kind: 'lost-before' }] })

    const post = await send('POST', '{"kind":"slow","delayMs":5,"reference":"ord_17","calls":2}')
    expect(post.status).toBe(201)
    const both = [
      { kind: 'lost-before' },
      { kind: 'slow', delayMs: 5, reference: 'ord_17', calls: 2 },
    ]
    expect(await post.json()).toEqual({ faults: both })
    expect(await readPlan()).toEqual(both)

    await send('PUT', '{"faults":[{"kind":"down","forMs":600000}]}')
    expect(await readPlan()).toEqual([
      { kind: 'down', forMs: 600_000, remainingMs: expect.any(Number) },
    ])

    expect((await send('DELETE')).status).toBe(204)
    expect(await readPlan()).toEqual([])
  })

  it('declines for insufficient funds where no reason is said', async () => {
    await send('POST', '{"kind":"decline"}')
    expect(await readPlan()).toEqual([{ kind: 'decline', declineCode: 'insufficient-funds' }])
  })

  const KINDS = '"decline", "lost-before", "lost-after", "late-apply", "slow" or "down"'
  const MS = 'a whole number from 1 to 600000'
  const CODE = '1 to 50 small letters and hyphens, for example "lost-card"'

  it.each([
    ['{"kind":"close"}', 'kind', '"close"', KINDS],
    ['{}', 'kind', 'undefined', KINDS],
    ['{"kind":"down","calls":0}', 'calls', '0', 'a whole number from 1 to 1000000'],
    ['{"kind":"down","share":1.1}', 'share', '1.1', 'a number from 0 to 1'],
    ['{"kind":"down","calls":1,"share":1}', 'share', '1', 'calls or share, not both'],
    ['{"kind":"down","forMs":1e999}', 'forMs', 'Infinity', MS],
    ['{"kind":"slow"}', 'delayMs', 'undefined', MS],
    ['{"kind":"late-apply","delayMs":600001}', 'delayMs', '600001', MS],
    ['{"kind":"decline","declineCode":""}', 'declineCode', '""', CODE],
    ['{"kind":"decline","declineCode":"<b>"}', 'declineCode', '"<b>"', CODE],
    [
      '{"kind":"down","reference":"a b"}',
      'reference',
      '"a b"',
      '1 to 100 visible ASCII characters',
    ],
    ['{"kind":"down","delayMs":1}', 'delayMs', '1', 'no such field for this kind of fault'],
    ['7', 'body', '7', 'a fault as a JSON object'],
    ['{', 'body', 'undefined', 'a fault as a JSON object'],
  ])('POST refuses %s', async (body, field, value, accepted) => {
    const response = await send('POST', body)

    expect(response.status).toBe(400)
    expect((await response.json()).errors).toEqual([{ field, value, accepted }])
    expect(await readPlan()).toEqual([])
  })

  it.each([
    ['{"faults":[{"kind":"down"},{"kind":"slow"}]}', 'faults.1.delayMs', 'undefined', MS],
    ['{"faults":{"kind":"down"}}', 'faults', '{"kind":"down"}', 'a list of faults'],
    ['{}', 'faults', 'undefined', 'a list of faults'],
    ['{"faults":[],"calls":1}', 'calls', '1', 'no such field here'],
    ['null', 'body', 'null', 'an object { "faults": [ ... ] }'],
  ])('PUT refuses %s, and keeps the plan', async (body, field, value, accepted) => {
    await send('POST', '{"kind":"lost-after"}')

    const response = await send('PUT', body)

    expect(response.status).toBe(400)
    expect((await response.json()).errors).toEqual([{ field, value, accepted }])
    expect(await readPlan()).toEqual([{ kind: 'lost-after' }])
  })
})
