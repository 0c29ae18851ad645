import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRetryPolicy, type RetryPolicyOptions } from './retry-policy.ts'
import { seededRandom } from './testing/index.ts'
import { bucket } from './testing-support/bucket.ts'
import { converse } from './testing-support/converse.ts'

describe('runWithRetry, for any policy and any failures', () => {
  const policies = fc.record(
    {
      maxRetries: fc.integer({ min: 0, max: 8 }),
      baseMs: fc.integer({ min: 1, max: 5_000 }),
      floorMs: fc.integer({ min: 0, max: 300 }),
      capMs: fc.integer({ min: 300, max: 20_000 }),
      deadlineMs: fc.integer({ min: 1, max: 60_000 }),
      reserveMs: fc.integer({ min: 0, max: 500 }),
      minAttemptMs: fc.integer({ min: 0, max: 500 }),
      attemptTimeoutMs: fc.integer({ min: 1, max: 5_000 }),
      jitter: fc.constantFrom('full', 'equal', 'decorrelated', 'none'),
      serverWait: fc.constantFrom('add', 'max'),
    },
    { requiredKeys: ['capMs'] },
  ) as fc.Arbitrary<RetryPolicyOptions>
  const steps = fc.array(
    fc.record({
      takesMs: fc.integer({ min: 0, max: 8_000 }),
      outcome: fc.oneof(
        fc.constant('answer'),
        fc.constantFrom(undefined, 'boom', { status: 503 }, { status: 429 }, { status: 404 }),
        fc.integer({ min: 0, max: 30_000 }).map(ms => ({
          status: 503,
          headers: { 'retry-after-ms': String(ms) },
        })),
      ),
    }),
    { minLength: 9, maxLength: 9 },
  )

  it('keeps attempt numbers, waits, deadline and budget in their bounds, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        policies,
        steps,
        fc.integer(),
        fc.option(fc.integer({ min: 0, max: 40_000 }), { nil: undefined }),
        fc.integer({ min: 0, max: 5 }),
        async (given, script, seed, abortAtMs, tokens) => {
          const policy = createRetryPolicy({ ...given, random: seededRandom(seed) })
          const budget = bucket(tokens)
          const numbers: number[] = []
          const ended = await converse(
            async ({ attempt, timeoutMs, remainingMs }, clock) => {
              numbers.push(attempt)
              const elapsedMs = clock.nowMs()
              expect(remainingMs).toBe(
                policy.options.deadlineMs - policy.options.reserveMs - elapsedMs,
              )
              if (attempt > 1) {
                expect(remainingMs).toBeGreaterThanOrEqual(policy.options.minAttemptMs)
              }
              expect(timeoutMs ?? 1).toBeGreaterThan(0)
              const { takesMs, outcome } = script[attempt - 1] as {
                takesMs: number
                outcome: unknown
              }
              await clock.sleep(takesMs)
              if (outcome !== 'answer') throw outcome
              return outcome
            },
            { policy, budget, abortAtMs },
          )
          const { maxRetries, floorMs, capMs } = policy.options
          expect(numbers).toEqual(numbers.map((_, index) => index + 1))
          expect(numbers.length).toBeLessThanOrEqual(Math.min(maxRetries, tokens) + 1)
          expect(tokens - budget.tokens).toBe(Math.max(0, numbers.length - 1))
          expect(budget.successes).toBe('value' in ended ? 1 : 0)
          for (const event of ended.events) {
            if (event.type !== 'retry-scheduled') continue
            expect(Number.isInteger(event.delayMs)).toBe(true)
            expect(event.delayMs).toBeGreaterThanOrEqual(floorMs)
            if (event.source === 'backoff') expect(event.delayMs).toBeLessThanOrEqual(capMs)
          }
          const abandoned = abortAtMs !== undefined || policy.options.attemptTimeoutMs !== undefined
          if (!abandoned) expect(ended.clock.pending).toBe(0)
        },
      ),
      { numRuns: 500 },
    )
  })
})
