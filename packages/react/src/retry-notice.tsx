import { type ReactElement, useEffect, useState } from 'react'
import {
  NOTICE_MESSAGES,
  type RetryNoticeLanguage,
  type RetryNoticeMessages,
} from './notice-messages.ts'
import type { RetryNoticeTarget } from './notice-source.ts'
import { type UseRetryNoticeOptions, useRetryNotice } from './use-retry-notice.ts'

export interface RetryNoticeProps extends UseRetryNoticeOptions {
  /** What `useQuery`, `useInfiniteQuery`, `useMutation` or `useIdempotentMutation` returned. */
  result?: Exclude<RetryNoticeTarget, { queryKey: readonly unknown[] }>
  /** Instead of `result`, where there is none: inside a Suspense fallback. */
  queryKey?: readonly unknown[]
  /** `'en'` or `'ko'`, also as `navigator.language` has it (`'ko-KR'`); English where it is another one. */
  language?: string
  /** Replaces single texts. */
  messages?: Partial<RetryNoticeMessages>
  /** On the outermost element, which also carries `data-phase`; not in `idle`, so that an empty box does not show. */
  className?: string
}

/**
 * Tells the person waiting what is going on, on top of {@link useRetryNotice}: what failed, the seconds
 * to the next attempt, "try now", "cancel" and, after the last attempt, "try again". Without `result` and
 * `queryKey` it is one notice for everything the client waits for.
 *
 * For a mutation there is no "try now" and no "try again". Where attempts ended and nobody knows whether it
 * happened, that is what it says.
 *
 * A polite live region, mounted empty, announces changes of phase and not every second; the countdown
 * and the buttons stand outside it. There is no "try again" after a definite refusal (a 404). It comes
 * without styles: `[data-query-retry]`, `[data-phase]` and `[data-part]` are there to hold on to.
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
  const spoken: RetryNoticeLanguage = /^ko\b/i.test(language) ? 'ko' : 'en'
  const texts = { ...NOTICE_MESSAGES[spoken], ...messages }
  const { phase } = notice
  const announcement = useAfterMount(phase === 'idle' ? '' : texts[phase](notice as never))
  const isBusy = phase === 'attempting' || phase === 'paused'
  const isStopped = phase === 'stopped'
  // A cold offline start has nothing to try now, and nothing to cancel.
  const hasFailed = phase !== 'idle' && !!notice.failure
  const isHopeless = isStopped && notice.effect === 'rejected' && !notice.failure?.retryable
  const isMutation = phase !== 'idle' && notice.isMutation

  return (
    <div
      data-query-retry=""
      data-phase={phase}
      className={phase === 'idle' ? undefined : className}
      lang={messages ? undefined : spoken}
    >
      <div role="status" aria-live="polite" data-part="message">
        {announcement}
      </div>
      {phase === 'waiting' && (
        <span role="timer" data-part="countdown">
          {texts.countdown(notice)}
        </span>
      )}
      {/* One element through all phases, so that the focus does not get lost with it. */}
      {hasFailed && !isHopeless && !isMutation && (
        <button
          type="button"
          data-part={isStopped ? 'try-again' : 'try-now'}
          aria-disabled={isBusy || undefined}
          onClick={notice.tryNow}
        >
          {isStopped ? texts.tryAgain : texts.tryNow}
        </button>
      )}
      {hasFailed && !isStopped && (
        <button
          type="button"
          data-part="cancel"
          // What a mutation has sent cannot be taken back.
          aria-disabled={(isMutation && isBusy) || undefined}
          onClick={({ currentTarget }) => {
            if (isMutation && isBusy) return
            // This button goes; the one before it stays, or the message.
            const { parentElement, previousElementSibling } = currentTarget
            const next = isMutation ? parentElement?.firstElementChild : previousElementSibling
            if (isMutation) next?.setAttribute('tabindex', '-1')
            ;(next as HTMLElement).focus()
            notice.cancel()
          }}
        >
          {texts.cancel}
        </button>
      )}
    </div>
  )
}

/** A live region announces only what changes after it was mounted. */
function useAfterMount(text: string): string {
  const [shown, setShown] = useState('')
  useEffect(() => setShown(text), [text])
  return shown
}
