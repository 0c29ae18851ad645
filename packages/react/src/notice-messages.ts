import type { RetryNoticeState } from './notice-state.ts'

type NoticeOf<Phase extends RetryNoticeState['phase']> = Extract<RetryNoticeState, { phase: Phase }>

/** Every text of the notice. Any of them can be replaced: `messages={{ tryNow: 'Retry' }}`. */
export interface RetryNoticeMessages {
  /** What went wrong, while waiting for the next attempt. Announced once, so without the seconds. */
  waiting(notice: NoticeOf<'waiting'>): string
  /** The seconds. */
  countdown(notice: NoticeOf<'waiting'>): string
  attempting(notice: NoticeOf<'attempting'>): string
  paused(notice: NoticeOf<'paused'>): string
  /** Why attempts ended, and what the person can do. */
  stopped(notice: NoticeOf<'stopped'>): string
  /** Button: sends the next attempt at once. */
  tryNow: string
  /** Button: starts over after attempts ended. */
  tryAgain: string
  /** Button: ends the retries. */
  cancel: string
}

/** The languages that come with the library. */
export type RetryNoticeLanguage = 'en' | 'ko'

export const NOTICE_MESSAGES: Record<RetryNoticeLanguage, RetryNoticeMessages> = {
  en: {
    waiting({ failure }) {
      if (failure?.status === 429) return 'The server asked us to slow down.'
      if (failure?.kind === 'network') return 'The connection was lost.'
      if (failure?.kind === 'timeout') return 'The server is taking too long.'
      return 'The server is having trouble.'
    },
    countdown: ({ secondsLeft, retryNumber, maxRetries }) =>
      `Next try in ${secondsLeft} s${maxRetries < Infinity ? ` (${retryNumber} of ${maxRetries})` : ''}`,
    attempting: () => 'Trying again…',
    paused: ({ cause }) =>
      cause === 'offline'
        ? 'You are offline. This goes on when you are connected again.'
        : 'Paused while this page is hidden.',
    stopped({ stopReason, failureCount, failure }) {
      if (stopReason === 'cancelled') return 'Stopped. Nothing more will be sent.'
      if (stopReason === 'server-wait-too-long')
        return 'The server is busy. Please try again later.'
      if (failure?.status === 404) return 'This could not be found.'
      if (failureCount > 1) return `This did not work after ${failureCount} tries.`
      return 'This did not work.'
    },
    tryNow: 'Try now',
    tryAgain: 'Try again',
    cancel: 'Cancel',
  },
  ko: {
    waiting({ failure }) {
      if (failure?.status === 429) return '요청이 많아 서버가 잠시 기다려 달라고 해요.'
      if (failure?.kind === 'network') return '연결이 끊겼어요.'
      if (failure?.kind === 'timeout') return '서버 응답이 늦어지고 있어요.'
      return '서버에 잠시 문제가 있어요.'
    },
    countdown: ({ secondsLeft, retryNumber, maxRetries }) =>
      `${secondsLeft}초 뒤 다시 시도해요${maxRetries < Infinity ? ` (${maxRetries}번 중 ${retryNumber}번째)` : ''}`,
    attempting: () => '다시 시도하고 있어요…',
    paused: ({ cause }) =>
      cause === 'offline'
        ? '인터넷에 연결되어 있지 않아요. 연결되면 이어서 진행해요.'
        : '화면이 가려진 동안 잠시 멈췄어요.',
    stopped({ stopReason, failureCount, failure }) {
      if (stopReason === 'cancelled') return '중단했어요. 더 이상 요청을 보내지 않아요.'
      if (stopReason === 'server-wait-too-long') return '서버가 바빠요. 잠시 후 다시 시도해 주세요.'
      if (failure?.status === 404) return '찾을 수 없어요.'
      if (failureCount > 1) return `${failureCount}번 시도했지만 불러오지 못했어요.`
      return '불러오지 못했어요.'
    },
    tryNow: '지금 시도',
    tryAgain: '다시 시도',
    cancel: '취소',
  },
}
