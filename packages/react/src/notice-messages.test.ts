import { classifyFailure, DeadlineExceededError, type Failure } from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import { NOTICE_MESSAGES, type RetryNoticeLanguage } from './notice-messages.ts'
import type { PresetStopReason } from './operation.ts'

const { en, ko } = NOTICE_MESSAGES

const OF_QUERY = { isMutation: false, isInProgress: false, queryCount: 1, mutationCount: 0 }
const OF_MUTATION = { isMutation: true, queryCount: 0, mutationCount: 1 }

const waiting = (error: unknown) => ({
  ...OF_QUERY,
  phase: 'waiting' as const,
  failureCount: 1,
  failure: classifyFailure(error),
  retryNumber: 1,
  maxRetries: 4,
  retryAtEpochMs: 0,
  secondsLeft: 5,
  reason: '',
})

const stopped = (error: unknown, stopReason: PresetStopReason = 'retries-exhausted') => {
  const failure: Failure = classifyFailure(error)
  return {
    ...OF_QUERY,
    phase: 'stopped' as const,
    failureCount: 5,
    failure,
    stopReason,
    effect: failure.effect,
  }
}

/** Of a mutation, whose effect is what is known of all its attempts. */
const ended = (
  error: unknown,
  effect: Failure['effect'],
  stopReason: PresetStopReason = 'not-retryable',
) => ({ ...stopped(error, stopReason), ...OF_MUTATION, effect })

const NETWORK = { code: 'ERR_NETWORK' }
const TIMEOUT = { name: 'TimeoutError' }

describe('NOTICE_MESSAGES', () => {
  it.each([
    [{ status: 429 }, 'The server asked us to slow down.', '요청이 많아 잠시 기다려야 해요.'],
    [NETWORK, 'Cannot reach the server.', '서버에 연결할 수 없어요.'],
    [TIMEOUT, 'The server is taking too long.', '서버 응답이 늦어지고 있어요.'],
    [{ status: 504 }, 'The server is taking too long.', '서버 응답이 늦어지고 있어요.'],
    [{ status: 503 }, 'The server is having trouble.', '서버에 문제가 생겼어요.'],
    // Retried only because the caller's `classify` says so.
    [{ status: 404 }, 'This could not be found.', '찾을 수 없어요.'],
    [new Error('?'), 'Something went wrong.', '문제가 생겼어요.'],
  ])('say while waiting what happened: %o', (error, english, korean) => {
    expect(en.waiting(waiting(error))).toBe(english)
    expect(ko.waiting(waiting(error))).toBe(korean)
  })

  it.each([
    [{ status: 503 }, 'The server is having trouble. Please try again later.'],
    [{ status: 500 }, 'The server is having trouble. Please try again later.'],
    [{ status: 429 }, 'The server asked us to slow down. Please try again later.'],
    [TIMEOUT, 'The server is taking too long. Please try again later.'],
    [NETWORK, 'Cannot reach the server. Please check your connection.'],
    [{ status: 401 }, 'You have no access to this. Please check that you are signed in.'],
    [{ status: 403 }, 'You have no access to this. Please check that you are signed in.'],
    [{ status: 404 }, 'This could not be found. Please check the address.'],
    [{ status: 410 }, 'This could not be found. Please check the address.'],
    [{ status: 400 }, 'Something went wrong. Please reload the page.'],
    [new TypeError('x is undefined'), 'Something went wrong. Please reload the page.'],
    [
      new DeadlineExceededError(1, 2, undefined),
      'The server is having trouble. Please try again later.',
    ],
  ])('say after the end what happened and what the person can do: %o', (error, english) => {
    expect(en.stopped(stopped(error))).toBe(english)
  })

  it.each([
    [{ status: 503 }, '서버에 문제가 생겼어요. 나중에 다시 시도해 주세요.'],
    [{ status: 429 }, '요청이 많아 잠시 기다려야 해요. 나중에 다시 시도해 주세요.'],
    [TIMEOUT, '서버 응답이 늦어지고 있어요. 나중에 다시 시도해 주세요.'],
    [NETWORK, '서버에 연결할 수 없어요. 인터넷 연결을 확인해 주세요.'],
    [{ status: 403 }, '접근 권한이 없어요. 로그인 상태를 확인해 주세요.'],
    [{ status: 404 }, '찾을 수 없어요. 주소를 확인해 주세요.'],
    [new Error('?'), '문제가 생겼어요. 페이지를 새로고침해 주세요.'],
  ])('say it in Korean: %o', (error, korean) => {
    expect(ko.stopped(stopped(error))).toBe(korean)
  })

  it('say after "cancel" that nothing more is sent, whatever had failed', () => {
    expect(en.stopped(stopped(NETWORK, 'cancelled'))).toBe('Stopped. Nothing more will be sent.')
    expect(ko.stopped(stopped(NETWORK, 'cancelled'))).toBe('취소했어요. 더 이상 시도하지 않아요.')
  })

  it('say of an exhausted budget that it is not this request alone, whatever had failed', () => {
    expect(en.stopped(stopped({ status: 503 }, 'budget-exhausted'))).toBe(
      'Too many requests are failing right now. Please try again later.',
    )
    expect(ko.stopped(stopped({ status: 503 }, 'budget-exhausted'))).toBe(
      '지금 실패하는 요청이 너무 많아요. 나중에 다시 시도해 주세요.',
    )
  })

  it.each<PresetStopReason>([
    'not-retryable',
    'server-said-no',
    'retries-exhausted',
    'server-wait-too-long',
    'deadline',
    'disabled',
    'cancelled',
    'circuit-open',
    'budget-exhausted',
  ])('have one short text for %s in each language', stopReason => {
    for (const language of ['en', 'ko'] satisfies RetryNoticeLanguage[]) {
      const text = NOTICE_MESSAGES[language].stopped(stopped({ status: 503 }, stopReason))
      expect(text).toMatch(/^[^.]+\. [^.]+\.$/)
      expect(text.length).toBeLessThanOrEqual(70)
    }
  })

  it('tell nobody to try again after what cannot change by itself', () => {
    for (const status of [400, 404, 410, 422]) {
      expect(en.stopped(stopped({ status }, 'not-retryable'))).not.toMatch(/try|again/i)
      expect(ko.stopped(stopped({ status }, 'not-retryable'))).not.toContain('시도')
    }
  })

  it.each<[unknown, Failure['effect'], string, string]>([
    [
      NETWORK,
      'unknown',
      'Cannot reach the server. It is not known whether this went through. Please check before doing it again.',
      '서버에 연결할 수 없어요. 처리되었는지 아직 알 수 없어요. 다시 하기 전에 먼저 확인해 주세요.',
    ],
    [
      { status: 503 },
      'unknown',
      'The server is having trouble. It is not known whether this went through. Please check before doing it again.',
      '서버에 문제가 생겼어요. 처리되었는지 아직 알 수 없어요. 다시 하기 전에 먼저 확인해 주세요.',
    ],
    [
      { status: 402 },
      'rejected',
      'This was refused. Nothing was done.',
      '요청이 거절되었어요. 처리된 내용은 없어요.',
    ],
    [
      { status: 404 },
      'rejected',
      'This could not be found. Nothing was done.',
      '찾을 수 없어요. 처리된 내용은 없어요.',
    ],
    [
      { status: 429 },
      'none',
      'The server asked us to slow down. Please try again later. Nothing was done.',
      '요청이 많아 잠시 기다려야 해요. 나중에 다시 시도해 주세요. 처리된 내용은 없어요.',
    ],
    [
      { status: 401 },
      'none',
      'You have no access to this. Please check that you are signed in. Nothing was done.',
      '접근 권한이 없어요. 로그인 상태를 확인해 주세요. 처리된 내용은 없어요.',
    ],
  ])('say of a mutation whether it happened: %o, %s', (error, effect, english, korean) => {
    expect(en.stopped(ended(error, effect))).toBe(english)
    expect(ko.stopped(ended(error, effect))).toBe(korean)
  })

  it('say of a mutation after "cancel" that what was sent may have gone through', () => {
    expect(en.stopped(ended(NETWORK, 'unknown', 'cancelled'))).toBe(
      'Stopped. Nothing more will be sent. It is not known whether this went through. Please check before doing it again.',
    )
    expect(ko.stopped(ended(NETWORK, 'unknown', 'cancelled'))).toBe(
      '취소했어요. 더 이상 시도하지 않아요. 처리되었는지 아직 알 수 없어요. 다시 하기 전에 먼저 확인해 주세요.',
    )
  })

  it('tell nobody to try again where it is not known whether a mutation happened', () => {
    for (const error of [
      NETWORK,
      TIMEOUT,
      0,
      ...[408, 409, 429, 500, 503].map(status => ({ status })),
    ]) {
      for (const reason of ['no-stable-key', 'payload-changed', 'retries-exhausted'] as const) {
        expect(en.stopped(ended(error, 'unknown', reason))).toMatch(/not known whether/)
        expect(en.stopped(ended(error, 'unknown', reason))).not.toMatch(/try/i)
        expect(ko.stopped(ended(error, 'unknown', reason))).not.toContain('시도')
      }
    }
  })

  it('say of a request in progress that it takes long, and count down to the next look', () => {
    const running = { ...waiting({ status: 409 }), ...OF_MUTATION, isInProgress: true }
    expect(en.waiting(running)).toBe('This is taking longer than usual.')
    expect(ko.waiting(running)).toBe('처리하는 데 시간이 걸리고 있어요.')
    expect(en.countdown(running)).toBe('Next check in 5 s')
    expect(ko.countdown(running)).toBe('5초 뒤에 다시 확인해요')
  })

  it('say the same while they ask: nothing is tried again', () => {
    const asking = {
      ...OF_MUTATION,
      isInProgress: true,
      phase: 'attempting' as const,
      failureCount: 1,
    }
    expect(en.attempting(asking)).toBe('This is taking longer than usual.')
    expect(ko.attempting(asking)).toBe('처리하는 데 시간이 걸리고 있어요.')
  })

  it('end every Korean sentence in the polite 해요 form', () => {
    const paused = { ...OF_QUERY, phase: 'paused' as const, failureCount: 1 }
    const errors = [
      { status: 429 },
      { status: 503 },
      { status: 403 },
      { status: 404 },
      NETWORK,
      TIMEOUT,
      0,
    ]
    const texts = [
      ...errors.flatMap(error => [ko.waiting(waiting(error)), ko.stopped(stopped(error))]),
      ko.stopped(stopped(0, 'cancelled')),
      ...(['unknown', 'none', 'rejected'] as const).map(effect => ko.stopped(ended(0, effect))),
      ko.waiting({ ...waiting(0), isInProgress: true }),
      ko.countdown({ ...waiting(0), isInProgress: true }),
      ko.countdown(waiting(0)),
      ko.attempting({ ...OF_QUERY, phase: 'attempting', failureCount: 1 }),
      ko.paused({ ...paused, cause: 'offline' }),
      ko.paused({ ...paused, cause: 'hidden' }),
    ]
    for (const sentence of texts.flatMap(text => text.split(/[.…]/)).filter(Boolean)) {
      expect(sentence).toMatch(/요$/)
    }
  })
})
