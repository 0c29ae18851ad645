import type { Failure } from '@query-retry/core'
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
  /**
   * What went wrong, and what the person can do. Of a mutation also whether it happened; where nobody knows
   * (`notice.effect` is `'unknown'`) it must not be said that it can be done again.
   */
  stopped(notice: NoticeOf<'stopped'>): string
  /** Button: sends the next attempt at once. */
  tryNow: string
  /** Button: starts over after attempts ended. Not there where that cannot help (a 404). */
  tryAgain: string
  /** Button: ends the retries. */
  cancel: string
}

/** The languages that come with the library. */
export type RetryNoticeLanguage = 'en' | 'ko'

export const NOTICE_MESSAGES: Record<RetryNoticeLanguage, RetryNoticeMessages> = {
  en: {
    ...explain({
      busy: ['The server asked us to slow down.', 'Please try again later.'],
      network: ['Cannot reach the server.', 'Please check your connection.'],
      slow: ['The server is taking too long.', 'Please try again later.'],
      server: ['The server is having trouble.', 'Please try again later.'],
      access: ['You have no access to this.', 'Please check that you are signed in.'],
      missing: ['This could not be found.', 'Please check the address.'],
      other: ['Something went wrong.', 'Please reload the page.'],
      cancelled: ['Stopped.', 'Nothing more will be sent.'],
      crowded: ['Too many requests are failing right now.', 'Please try again later.'],
      again: 'Trying again…',
      running: 'This is taking longer than usual.',
      unknown: 'It is not known whether this went through. Please check before doing it again.',
      none: 'Nothing was done.',
      rejected: 'This was refused.',
    }),
    countdown: ({ isInProgress, secondsLeft }) =>
      `Next ${isInProgress ? 'check' : 'try'} in ${secondsLeft} s`,
    paused: ({ cause }) =>
      cause === 'offline'
        ? 'You are offline. This continues once you are back online.'
        : 'Paused while this page is hidden.',
    tryNow: 'Try now',
    tryAgain: 'Try again',
    cancel: 'Cancel',
  },
  ko: {
    ...explain({
      busy: ['요청이 많아 잠시 기다려야 해요.', '나중에 다시 시도해 주세요.'],
      network: ['서버에 연결할 수 없어요.', '인터넷 연결을 확인해 주세요.'],
      slow: ['서버 응답이 늦어지고 있어요.', '나중에 다시 시도해 주세요.'],
      server: ['서버에 문제가 생겼어요.', '나중에 다시 시도해 주세요.'],
      access: ['접근 권한이 없어요.', '로그인 상태를 확인해 주세요.'],
      missing: ['찾을 수 없어요.', '주소를 확인해 주세요.'],
      other: ['문제가 생겼어요.', '페이지를 새로고침해 주세요.'],
      cancelled: ['취소했어요.', '더 이상 시도하지 않아요.'],
      crowded: ['지금 실패하는 요청이 너무 많아요.', '나중에 다시 시도해 주세요.'],
      again: '다시 시도하고 있어요…',
      running: '처리하는 데 시간이 걸리고 있어요.',
      unknown: '처리되었는지 아직 알 수 없어요. 다시 하기 전에 먼저 확인해 주세요.',
      none: '처리된 내용은 없어요.',
      rejected: '요청이 거절되었어요.',
    }),
    countdown: ({ isInProgress, secondsLeft }) =>
      `${secondsLeft}초 뒤에 다시 ${isInProgress ? '확인' : '시도'}해요`,
    paused: ({ cause }) =>
      cause === 'offline'
        ? '인터넷 연결이 끊겼어요. 연결되면 계속할게요.'
        : '다른 화면을 보는 동안 잠시 멈췄어요.',
    tryNow: '지금 시도',
    tryAgain: '다시 시도',
    cancel: '취소',
  },
}

type Trouble =
  | 'busy'
  | 'network'
  | 'slow'
  | 'server'
  | 'access'
  | 'missing'
  | 'other'
  | 'cancelled'
  | 'crowded'

/** It is tried again or, of a mutation, still under way; and what became of a mutation. */
type Outcome = 'again' | 'running' | 'unknown' | 'none' | 'rejected'

/**
 * @param texts - for each kind of trouble what happened and, after attempts ended, what the person can do;
 *   and what became of a mutation
 */
function explain(
  texts: Record<Trouble, [what: string, advice: string]> & Record<Outcome, string>,
): Pick<RetryNoticeMessages, 'waiting' | 'attempting' | 'stopped'> {
  return {
    waiting: ({ failure, isInProgress }) =>
      isInProgress ? texts.running : texts[troubleOf(failure)][0],
    // The same while it waits and while it asks: whoever listens would hear the two take turns.
    attempting: ({ isInProgress }) => (isInProgress ? texts.running : texts.again),
    stopped({ effect, failure, isMutation, stopReason }) {
      let trouble = troubleOf(failure)
      if (stopReason === 'cancelled') trouble = stopReason
      if (stopReason === 'budget-exhausted') trouble = 'crowded'
      const [what, advice] = texts[trouble]
      if (!isMutation) return `${what} ${advice}`
      const said = effect === 'rejected' && trouble === 'other' ? texts.rejected : what
      const parts = [said, texts[effect === 'unknown' ? effect : 'none']]
      if (effect === 'none' || trouble === 'cancelled') parts.splice(1, 0, advice)
      return parts.join(' ')
    },
  }
}

function troubleOf(failure?: Failure): Trouble {
  const { kind, status = 0 } = failure ?? {}
  if (status === 429) return 'busy'
  if (status === 401 || status === 403) return 'access'
  if (status === 404 || status === 410) return 'missing'
  if (kind === 'timeout' || status === 408 || status === 504) return 'slow'
  // Where we refused to send, the server had been in trouble.
  if (status >= 500 || kind === 'refused') return 'server'
  return kind === 'network' ? kind : 'other'
}
