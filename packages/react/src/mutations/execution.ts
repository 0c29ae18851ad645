import { systemClock } from '@query-retry/core'
import {
  CancelledError,
  hashKey,
  type MutationFunctionContext,
  type MutationOptions,
} from '@tanstack/react-query'
import { limitAttempt } from '../attempt-limit.ts'
import { createAttemptTimer } from '../attempt-timer.ts'
import type { Verdict } from '../contracts/contract.ts'
import { warnAboutOwnMutationRetry } from '../development-warnings.ts'
import { fingerprintOf } from '../intents/fingerprint.ts'
import type { AnyEvent } from '../intents/intent-event.ts'
import type { Transition } from '../intents/intent-machine.ts'
import { type IntentIdentity, type IntentRecord, intentId } from '../intents/intent-record.ts'
import type { Journal, JournalChange } from '../intents/journal.ts'
import { warnAboutNestedMutation } from '../nested-retries.ts'
import type { PresetStopReason } from '../operation.ts'
import { reportThrown } from '../report-thrown.ts'
import type { RetryEvent } from '../retry-events.ts'
import { admit } from './admission.ts'
import { planAttempts } from './attempt-plan.ts'
import { leaveTrace } from './attempt-traces.ts'
import {
  type FailedAttempt,
  forgetFailedAttempt,
  rememberFailedAttempt,
  retryUnderKey,
} from './failed-attempts.ts'
import type {
  AnyMutation,
  AttemptOptions,
  IdempotentMutationContext,
} from './idempotent-mutation-options.ts'
import { tellIntent } from './intent-changes.ts'
import { nameIntent, principalNow } from './intent-names.ts'
import { beginRun, type Run, runOf } from './intent-runs.ts'
import { guardSettings } from './mutation-guard.ts'

/** What follows an attempt, as far as TanStack and the listeners of events are concerned. */
interface Conclusion {
  retry: boolean
  delayMs?: number
  source?: string
  reason?: PresetStopReason
  classifyError?: unknown
  /** What the attempt's answer says of the key, and what became of the intent. */
  verdict?: Verdict
  change?: Transition | undefined
}

/**
 * How long another page is waited for that is busy with the intent: a page that the browser has put to
 * sleep never ends. Whoever goes on sends the same key, which does no harm.
 */
const PATIENCE_MS = 10_000

/** A mutation without an intent: known to its own execution alone. */
const UNNAMED: IntentIdentity = { principal: '-', operation: '-', subject: ['-'] }

/**
 * One execution of a mutation with all its attempts. The options of its first attempt hold for all of
 * them, whatever a re-render makes of the closures meanwhile.
 *
 * @param mutation - the one that it belongs to, where it is known
 * @param asker - who was logged in when the person asked, where that is known
 * @returns runs one attempt; TanStack calls it again for each retry
 */
export function startExecution<Data, Variables>(
  options: AttemptOptions<Data, Variables>,
  firstVariables: Variables,
  context: MutationFunctionContext,
  mutation: AnyMutation | undefined,
  asker = options.principal,
): (variables: Variables) => Promise<Data> {
  const { contract, mutationFn } = options
  const { client, mutationKey } = context
  let inherited = client.defaultMutationOptions<MutationOptions>({ mutationKey })
  // These options are the defaults of this mutation: the client's are behind them.
  if (inherited.retry === retryUnderKey.retry) inherited = client.defaultMutationOptions({})
  const settings = guardSettings(options.retry, inherited.retry)
  const { clock } = settings ?? { clock: systemClock }
  const scope = settings?.scopeFor(context)
  const limitMs = options.attemptTimeoutMs ?? settings?.policy.options.attemptTimeoutMs

  const subject = options.intent?.(firstVariables)
  const principal = subject ? options.principal : '-'
  const intent = subject ? nameIntent(mutationKey, asker, subject) : UNNAMED
  const id = intentId(intent)
  const journal = options.journal ?? forgetfulJournal()
  const fingerprint = (variables: Variables) =>
    fingerprintOf(id, options.fingerprint?.(variables) ?? variables)

  const mutationHash = mutationKey && hashKey(mutationKey)
  const plan = planAttempts(settings)
  const startedAtMs = clock.nowMs()
  let attemptCount = 0
  let key: string | undefined
  let lastReason = ''
  let run: Run | undefined
  let failedAttempt: FailedAttempt | undefined
  /** A granted retry has been withdrawn from the budget, and is not sent yet. */
  let isPaid = false

  const emit = (type: RetryEvent['type'], more?: object) =>
    settings?.onEvent({
      type,
      mutationHash,
      attempt: attemptCount,
      elapsedMs: clock.nowMs() - startedAtMs,
      reason: lastReason,
      ...more,
    } as RetryEvent)

  /** Keeps what has happened. Where that fails, what happened still has happened. */
  async function tell(event: Partial<AnyEvent>) {
    try {
      const moment = { nowEpochMs: clock.epochMs(), principal: intent.principal, key }
      return await tellIntent(journal, id, { ...moment, ...event } as never)
    } catch (error) {
      reportThrown(error)
      return undefined
    }
  }

  /** Leaves the decision where TanStack's questions find it, and sees to it that the run ends. */
  function conclude(error: unknown, decision: Conclusion): void {
    const { classifyError, delayMs, reason: stopReason, retry, source } = decision
    const attempt: FailedAttempt = {
      ...decision,
      delayMs: settings?.isInstant ? 0 : delayMs,
      error,
      mutation,
      run,
      settings,
      failedAtMs: clock.nowMs(),
    }
    failedAttempt = attempt
    rememberFailedAttempt(attempt)
    if (settings) warnAboutOwnMutationRetry(mutation, retryUnderKey)
    warnAboutNestedMutation(attempt)
    if (classifyError) reportThrown(classifyError)
    emit('attempt-failed')
    if (retry) emit('retry-scheduled', { attempt: attemptCount + 1, delayMs, source })
    else end(error, stopReason)
    // TanStack asks, and goes on or ends, within the same task.
    systemClock.sleep(0).then(async () => {
      forgetFailedAttempt(attempt)
      if (!retry || (mutation && isRetried(mutation, error, attemptCount))) return
      // The mutation has a `retry` of its own.
      await tell({ type: 'budget-spent', reason: lastReason })
      end(error, 'disabled')
    })
  }

  function end(error: unknown, stopReason?: PresetStopReason): void {
    if (isPaid) scope?.budget?.refund()
    isPaid = false
    if (stopReason === 'budget-exhausted') emit(stopReason, { scope: scope?.name })
    emit('gave-up', { stopReason })
    run?.fail(error)
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
        clock,
        principal: () => principalNow(principal),
        cause: failedAttempt?.error,
      })
    } catch (error) {
      // Nothing was sent, and nobody tries again by himself.
      if (key) await tell({ type: 'budget-spent', reason: lastReason })
      const isChanged = /^(PAY|FING)/.test(Object(error).code)
      const reason = isChanged ? 'payload-changed' : 'not-retryable'
      lastReason = reason
      conclude(error, { retry: false, reason })
      throw error
    }
  }

  /** Keeps what a failure says of the key, with what comes next, before anybody hears of it. */
  async function settle(error: unknown, attempt: number): Promise<void> {
    const ask = async () => contract.verdict(error)
    const told = await ask().catch(reportThrown)
    const verdict: Verdict = { kind: 'unknown', reason: 'unknown', next: 'stop', ...told }
    let decision: Conclusion = plan(error, verdict)
    // Waiting for the answer to a request that is under way costs nothing.
    if (decision.retry && verdict.kind === 'unknown' && scope?.budget) {
      isPaid = scope.budget.tryWithdraw()
      if (!isPaid) decision = { ...decision, retry: false, reason: 'budget-exhausted' }
    }
    lastReason = verdict.reason
    const change = await tell({
      type: verdict.kind,
      attempt,
      reason: lastReason,
      isResultLost: true,
      ...(decision.retry && { notBeforeEpochMs: clock.epochMs() + (decision.delayMs ?? 0) }),
    })
    // Too late to send the key again, or settled by somebody else.
    if (decision.retry && change && change.next !== 'wait') {
      decision = { retry: false, reason: 'deadline' }
    }
    conclude(error, { ...decision, verdict, change })
  }

  /** Waits for another page that is busy with the intent, and is then the one that is. */
  async function takeTurn({ fail, outcome }: Run): Promise<void> {
    // A mutation that is cleared while it is paused never goes on.
    const stop = client.getMutationCache().subscribe(({ type, mutation: gone }) => {
      if (type === 'removed' && gone === mutation)
        fail(failedAttempt?.error ?? new CancelledError())
    })
    outcome.then(stop, stop)
    const turn = new AbortController()
    const claim = async () => journal.claim?.(id, outcome)
    const go = () => turn.abort()
    claim().then(go, go)
    await clock.sleep(PATIENCE_MS, turn.signal).catch(() => {})
  }

  async function send(variables: Variables, { dispatchCount }: IntentRecord, ownKey: string) {
    try {
      const attempt = async (own: IdempotentMutationContext) => mutationFn(variables, own)
      const own = {
        ...context,
        idempotencyKey: ownKey,
        headers: contract.headers(ownKey),
        attempt: attemptCount,
        signal: new AbortController().signal,
      }
      isPaid = false
      const limited = limitMs && limitAttempt(attempt, own, limitMs, createAttemptTimer(clock))
      const data = await (limited || attempt(own))
      scope?.budget?.recordSuccess()
      await tell({ type: 'succeeded', attempt: dispatchCount, result: data })
      return data
    } catch (error) {
      await settle(error, dispatchCount)
      throw error
    }
  }

  return async variables => {
    // TanStack's wait cannot be ended from outside, so it ends here, without a send.
    if (failedAttempt?.isCancelled) {
      await tell({ type: 'budget-spent', reason: lastReason })
      end(failedAttempt.error, 'cancelled')
      throw failedAttempt.error
    }
    if (!attemptCount) {
      const print = fingerprint(variables)
      const running = runOf(journal, id)
      if (running?.fingerprint === print) {
        leaveTrace(mutation, { run: running })
        return running.outcome as Promise<Data>
      }
      if (!running) {
        run = beginRun(journal, id, print)
        await takeTurn(run)
      }
    }
    attemptCount++
    const record = await enter(variables)
    let data = record.result as Data
    if (record.state === 'sending') {
      key = record.key
      const isRetry = attemptCount > 1
      if (isRetry) emit('retry-started')
      data = await send(variables, record, key)
      if (isRetry) emit('recovered')
    }
    run?.succeed(data)
    return data
  }
}

/** Enough for the attempts of one execution. */
function forgetfulJournal(): Pick<Journal, 'update' | 'claim'> {
  let last: JournalChange = { record: undefined }
  return {
    async update(_, change) {
      const next = change(last.record)
      last = next
      return next
    },
  }
}

/** Whether TanStack has taken the failure of this attempt for a reason to try again. */
function isRetried({ state }: AnyMutation, error: unknown, attempt: number): boolean {
  const { failureCount, failureReason, status } = state
  return status === 'pending' && failureCount === attempt && Object.is(failureReason, error)
}
