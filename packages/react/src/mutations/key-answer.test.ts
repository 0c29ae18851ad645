import { describe, expect, it } from 'vitest'
import { readKeyAnswer } from './key-answer.ts'

const PROBLEM = 'https://query-retry.example/problems/'
const done = (status: number, body: unknown) => ({ state: 'done', answer: { status, body } })

describe('readKeyAnswer', () => {
  it.each([
    ['a success', done(201, { id: 'pay_1' }), { finding: 'succeeded', result: { id: 'pay_1' } }],
    [
      'a refusal',
      done(402, { type: `${PROBLEM}payment-declined` }),
      { finding: 'rejected', reason: 'payment-declined' },
    ],
    [
      'a refusal of a type of its own',
      done(409, { type: `${PROBLEM}order-cancelled` }),
      { finding: 'rejected', reason: 'order-cancelled' },
    ],
    [
      'paid under another key',
      done(409, { type: `${PROBLEM}order-already-paid` }),
      { finding: 'succeeded', reason: 'order-already-paid' },
    ],
    [
      'a key that was burnt',
      done(409, { type: `${PROBLEM}key-fenced` }),
      { finding: 'burnt', reason: 'key-fenced' },
    ],
    [
      'a stored 500, which settles nothing',
      done(500, {}),
      { finding: 'review', reason: 'http-500' },
    ],
    ['running', { state: 'running' }, { finding: 'running' }],
    ['waiting', { state: 'waiting' }, { finding: 'waiting' }],
    ['review', { state: 'review' }, { finding: 'review' }],
    ['expired', { state: 'expired' }, { finding: 'expired' }],
  ])('reads %s', async (_, body, answer) => {
    expect(await readKeyAnswer(Response.json(body))).toEqual(answer)
  })

  it('takes 404 for what it is: no proof', async () => {
    const response = Response.json({ type: `${PROBLEM}key-not-found` }, { status: 404 })
    expect(await readKeyAnswer(response)).toEqual({ finding: 'not-found' })
  })

  it('reads when to ask again', async () => {
    const response = Response.json({ state: 'running' }, { headers: { 'retry-after': '3' } })
    expect(await readKeyAnswer(response)).toEqual({ finding: 'running', waitMs: 3_000 })
  })

  it.each([401, 503])('throws a %i as it is: it says nothing of the key', async status => {
    const response = Response.json({}, { status })
    await expect(readKeyAnswer(response)).rejects.toBe(response)
  })
})
