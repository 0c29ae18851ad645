import type { Payment, PaymentRequest } from '@query-retry/checkout-api'
import {
  type Contract,
  createMemoryJournal,
  ietfDraft,
  type UseIdempotentMutationOptions,
} from '@query-retry/react'

type Options = UseIdempotentMutationOptions<Payment, Error | Response, PaymentRequest>

const within = (contract: Contract | undefined): Contract => contract ?? ietfDraft()

const ofThisPage = createMemoryJournal()

/** Clients with one mistake, for the check of the check: what each leaves out, done to the real options. */
export const MISTAKES: Readonly<Record<string, (options: Options) => Options>> = {
  'forgets-on-reload': options => ({ ...options, journal: ofThisPage }) as Options,

  'new-key-each-attempt': options => ({
    ...options,
    contract: {
      ...within(options.contract),
      headers: () => ietfDraft().headers(crypto.randomUUID()),
    },
  }),

  'unknown-is-a-refusal': options => {
    const contract = within(options.contract)
    return {
      ...options,
      contract: {
        ...contract,
        async verdict(answer) {
          const verdict = await contract.verdict(answer)
          return verdict.kind === 'unknown' ? { ...verdict, kind: 'rejected' } : verdict
        },
      },
    }
  },

  'any-answer-is-a-success': options => ({
    ...options,
    async mutationFn(payment, context) {
      const data = await options.mutationFn(payment, context).catch(error => {
        if (error instanceof Response && error.ok) return undefined
        throw error
      })
      return data ?? { id: 'none', order: payment.order, status: 'captured', ...NOTHING }
    },
  }),

  'asks-nobody': options => ({
    ...options,
    lookUp: async () => ({ finding: 'review' }),
    fence: async () => ({ finding: 'review' }),
  }),

  'one-key-for-all': options => ({
    ...options,
    contract: { ...within(options.contract), headers: () => ietfDraft().headers('the-one-key') },
  }),
}

const NOTHING = { total: { amount: 0, currency: 'KRW' }, paidAt: '2026-01-01T00:00:00Z' }
