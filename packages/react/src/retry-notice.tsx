import { type ReactElement, useEffect, useState } from 'react'
import {
  NOTICE_MESSAGES,
  type RetryNoticeLanguage,
  type RetryNoticeMessages,
} from './notice-messages.ts'
import type { RetryNoticeTarget } from './notice-source.ts'
import type { RetryNoticeState } from './notice-state.ts'
import { type UseRetryNoticeOptions, useRetryNotice } from './use-retry-notice.ts'

export interface RetryNoticeProps extends UseRetryNoticeOptions {
  /** What `useQuery` or `useInfiniteQuery` returned. */
  result?: Extract<RetryNoticeTarget, { refetch: unknown }>
  /** Instead of `result`, where there is none: inside a Suspense fallback. */
  queryKey?: readonly unknown[]
  /** Default `'en'`. */
  language?: RetryNoticeLanguage
  /** Replaces single texts. */
  messages?: Partial<RetryNoticeMessages>
  /** On the outermost element, which also carries `data-phase`. */
  className?: string
}

/**
 * Tells the person waiting what is going on, on top of {@link useRetryNotice}: what failed, the seconds
 * to the next attempt, "try now", "cancel" and, after the last attempt, "try again". Without `result` and
 * `queryKey` it is one notice for everything the client waits for.
 *
 * A polite live region, mounted empty, announces changes of phase and not every second; the countdown
 * and the buttons stand outside it. It comes without styles: `[data-query-retry]`, `[data-phase]` and
 * `[data-part]` are there to hold on to.
 */
export function RetryNotice({
  result,
  queryKey,
  queryClient,
  language = 'en',
  messages,
  className,
}: RetryNoticeProps): ReactElement {
  const notice = useRetryNotice(result ?? (queryKey && { queryKey }), { queryClient })
  const texts = { ...NOTICE_MESSAGES[language], ...messages }
  const announcement = useAfterMount(describe(notice, texts))
  const { phase } = notice
  const isBusy = phase === 'attempting'

  return (
    <div data-query-retry="" data-phase={phase} className={className}>
      <div role="status" aria-live="polite" data-part="message">
        {announcement}
      </div>
      {phase === 'waiting' && (
        <span role="timer" data-part="countdown">
          {texts.countdown(notice)}
        </span>
      )}
      {phase === 'stopped' && (
        <button type="button" data-part="try-again" onClick={notice.tryNow}>
          {texts.tryAgain}
        </button>
      )}
      {/* Stays while an attempt runs, so that the focus does not get lost with it. */}
      {(phase === 'waiting' || isBusy) && (
        <>
          <button
            type="button"
            data-part="try-now"
            aria-disabled={isBusy || undefined}
            onClick={notice.tryNow}
          >
            {texts.tryNow}
          </button>
          <button type="button" data-part="cancel" onClick={notice.cancel}>
            {texts.cancel}
          </button>
        </>
      )}
    </div>
  )
}

function describe(notice: RetryNoticeState, texts: RetryNoticeMessages): string {
  switch (notice.phase) {
    case 'waiting':
      return texts.waiting(notice)
    case 'attempting':
      return texts.attempting(notice)
    case 'paused':
      return texts.paused(notice)
    case 'stopped':
      return texts.stopped(notice)
    default:
      return ''
  }
}

/** A live region announces only what changes after it was mounted. */
function useAfterMount(text: string): string {
  const [shown, setShown] = useState('')
  useEffect(() => setShown(text), [text])
  return shown
}
