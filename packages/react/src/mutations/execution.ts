import { systemClock } from '@query-retry/core'
import { hashKey, type MutationFunctionContext, type MutationOptions } from '@tanstack/react-query'
import { limitAttempt } from '../attempt-limit.ts'
import type { AttemptTimer } from '../attempt-timer.ts'
import { readAnswer } from '../contracts/answer.ts'
import { type Contract, type Verdict, verdictOf } from '../contracts/contract.ts'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { warnAboutOwnMutationRetry } from '../development-warnings.ts'
import { fingerprintOf } from '../intents/fingerprint.ts'
import type { AnyEvent } from '../intents/intent-event.ts'
import { type IntentIdentity, type IntentRecord, intentId } from '../intents/intent-record.ts'
import { createMemoryJournal } from '../intents/memory-journal.ts'
import type { PresetDecision } from '../operation.ts'
import { reportThrown } from '../report-thrown.ts'
import type { RetryEvent } from '../retry-events.ts'
import { admit } from './admission.ts'
import { planAttempts } from './attempt-plan.ts'
import { forgetFailedAttempt, rememberFailedAttempt } from './failed-attempts.ts'
import type { AnyMutation, AttemptOptions } from './idempotent-mutation-options.ts'
import { nameIntent, principalNow } from './intent-names.ts'
import { beginRun, type Run, runOf } from './intent-runs.ts'
import { guardSettings } from './mutation-guard.ts'
import { defaultJournal } from './shared-journal.ts'
import { holdUntil, LEASE_MS, tellIntent } from './told-intents.ts'

/** A mutation without an intent: known to its own execution alone. */
const UNNAMED: IntentIdentity = { principal: '-', operation: '-', subject: ['-'] }

/**
 * One execution of a mutation with all its attempts. The options of its first attempt hold for all of
 * them, whatever a re-render makes of the closures meanwhile.
 *
 * @param mutation - the one that it belongs to, where it is known
 * @returns runs one attempt; TanStack calls it again for each retry
 */
export function startExecution<Data, Variables>(
  options: AttemptOptions<Data, Variables>,
  firstVariables: Variables,
  context: MutationFunctionContext,
  mutation: AnyMutation | undefined,
): (variables: Variables) => Promise<Data> {
  const { contract = ietfDraft(), mutationFn } = options
  const { client, mutationKey } = context
  const inherited = client.defaultMutationOptions<MutationOptions>({ mutationKey }).retry
  const settings = guardSettings(mutation?.options.retry, inherited)
  const { clock } = settings ?? { clock: systemClock }
  const limitMs = options.attemptTimeoutMs ?? settings?.policy.options.attemptTimeoutMs

  const subject = options.intent?.(firstVariables)
  const principal = () => (subject ? principalNow(options.principal) : UNNAMED.principal)
  const intent = subject ? nameIntent(mutationKey, options.principal, subject) : UNNAMED
  const id = intentId(intent)
  const journal = subject ? (options.journal ?? defaultJournal()) : createMemoryJournal()
  const fingerprint = (variables: Variables) =>
    fingerprintOf(
      intent.operation,
      intent.subject,
      options.fingerprint ? options.fingerprint(variables) : variables,
    )

  const mutationHash = mutationKey && hashKey(mutationKey)
  const plan = planAttempts(settings)
  const startedAtMs = clock.nowMs()
  let attemptCount = 0
  let key: string | undefined
  let lastError: unknown
  let lastReason = ''
  let run: Run | undefined

  const emit = (type: RetryEvent['type'], more: object, attempt = attemptCount) =>
    settings?.onEvent({
      type,
      mutationHash,
      attempt,
      elapsedMs: clock.nowMs() - startedAtMs,
      reason: lastReason,
      ...more,
    } as RetryEvent)

  /** Keeps what has happened. Where that fails, what happened still has happened. */
  async function tell(event: Partial<AnyEvent>) {
    try {
      const { principal } = intent
      const moment = { nowEpochMs: clock.epochMs(), principal, key }
      return await tellIntent(journal, id, { ...moment, ...event } as never)
    } catch (error) {
      reportThrown(error)
      return undefined
    }
  }

  /** Leaves the decision where TanStack's questions find it, and sees to it that the run ends. */
  function decided(error: unknown, decision: PresetDecision, isQuiet?: boolean): void {
    let isAsked = false
    const failedAttempt = {
      error,
      retry: decision.retry,
      delayMs: decision.retry ? decision.delayMs : 0,
      onAsked() {
        isAsked = true
        if (isQuiet) return
        if ('classifyError' in decision) reportThrown(decision.classifyError)
        emit('attempt-failed', {})
        if (decision.retry) {
          const { delayMs, source } = decision
          emit('retry-scheduled', { delayMs, source }, attemptCount + 1)
        } else emit('gave-up', { stopReason: decision.reason })
      },
    }
    rememberFailedAttempt(failedAttempt)
    if (!decision.retry) run?.fail(error)
    // TanStack asks, and goes on or ends, within the same task.
    clock.sleep(0).then(async () => {
      forgetFailedAttempt(failedAttempt)
      if (isQuiet) return
      const isGoingOn = mutation ? isRetried(mutation, error, attemptCount) : isAsked
      // The mutation has a `retry` of its own.
      if (!isAsked && settings) warnAboutOwnMutationRetry(mutationKey, mutation?.options.retry)
      if (isGoingOn) return
      if (!isAsked) emit('gave-up', { stopReason: 'disabled' })
      if (decision.retry) await tell({ type: 'budget-spent', reason: lastReason })
      run?.fail(error)
    })
  }

  async function enter(variables: Variables): Promise<IntentRecord> {
    try {
      return await admit({
        journal,
        id,
        intent,
        fingerprint: fingerprint(variables),
        resendWindowMs: contract.resendWindowMs,
        key,
        submittedAtEpochMs: mutation?.state.submittedAt,
        leaseMs: (limitMs ?? 0) + LEASE_MS,
        clock,
        principal,
        cause: lastError,
      })
    } catch (error) {
      // Nothing was sent, and nobody tries again by himself.
      if (key) await tell({ type: 'budget-spent', reason: lastReason })
      const isChanged = Object(error).code === 'PAYLOAD_CHANGED'
      lastReason = isChanged ? 'payload-changed' : 'refused'
      decided(error, {
        retry: false,
        reason: isChanged ? 'payload-changed' : 'not-retryable',
        failure: { kind: 'refused', retryable: false, reason: lastReason, effect: 'none' },
      })
      throw error
    }
  }

  async function settle(error: unknown, attempt: number): Promise<void> {
    const verdict = await verdictOn(error, contract)
    let decision = plan(error, verdict)
    lastError = error
    lastReason = verdict.reason
    const answer = { type: verdict.kind, attempt, reason: lastReason }
    if (decision.retry) {
      const notBeforeEpochMs = clock.epochMs() + decision.delayMs
      const holder = holdUntil(journal, notBeforeEpochMs + LEASE_MS)
      const change = await tell({ ...answer, notBeforeEpochMs, holder })
      // Too late to send the key again, or settled by somebody else.
      if (change && change.next !== 'wait') {
        decision = { retry: false, reason: 'deadline', failure: decision.failure }
      }
    } else await tell({ ...answer, isResultLost: true })
    decided(error, decision)
  }

  return async variables => {
    attemptCount++
    const other = attemptCount === 1 && subject && runOf(journal, id)
    if (other && other.fingerprint === fingerprint(variables)) {
      attemptCount = 0
      return (await other.outcome.catch(error => {
        const failure = { kind: 'refused', retryable: false, reason: '', effect: 'none' } as const
        decided(error, { retry: false, reason: 'not-retryable', failure }, true)
        throw error
      })) as Data
    }
    if (!other && attemptCount === 1) run = beginRun(journal, id, fingerprint(variables))
    const record = await enter(variables)
    if (record.state === 'succeeded') {
      run?.succeed(record.result)
      return record.result as Data
    }
    key = record.key
    if (attemptCount > 1) emit('retry-started', {})
    const sent = {
      ...context,
      idempotencyKey: key,
      headers: contract.headers(key),
      attempt: attemptCount,
      signal: new AbortController().signal,
    }
    try {
      const attempt = async (own: typeof sent) => mutationFn(variables, own)
      const data = await (limitMs
        ? limitAttempt(attempt, sent, limitMs, timerOf(clock))
        : attempt(sent))
      await tell({ type: 'succeeded', attempt: record.dispatchCount, result: data })
      if (attemptCount > 1) emit('recovered', {})
      run?.succeed(data)
      return data
    } catch (error) {
      await settle(error, record.dispatchCount)
      throw error
    }
  }
}

/** Whether TanStack has taken the failure of this attempt for a reason to try again. */
function isRetried({ state }: AnyMutation, error: unknown, attempt: number): boolean {
  const { failureCount, failureReason, status } = state
  return status === 'pending' && failureCount === attempt && Object.is(failureReason, error)
}

/** A verdict even where a contract of the caller's throws. */
async function verdictOn(error: unknown, contract: Contract): Promise<Verdict> {
  const answer = await readAnswer(error)
  try {
    return contract.verdict(answer)
  } catch (thrown) {
    reportThrown(thrown)
    return verdictOf('unknown', answer)
  }
}

/** A limit's timer that leaves nothing behind when the attempt is over. */
function timerOf(clock: { sleep(ms: number, signal: AbortSignal): Promise<void> }): AttemptTimer {
  return (delayMs, onDue) => {
    const over = new AbortController()
    clock.sleep(delayMs, over.signal).then(onDue, () => {})
    return () => over.abort()
  }
}
