import { act } from '@testing-library/react'
import { useIdempotentMutation } from '../mutations/use-idempotent-mutation.ts'
import type { RetryPresetOptions } from '../retry-preset.ts'
import { useRetryNotice } from '../use-retry-notice.ts'
import type { Script } from './conversation.ts'
import { pass, settle } from './notice-stage.tsx'
import { renderHookWithClient } from './render-with-client.tsx'
import { type Order, startPayments } from './scripted-mutation.ts'

/** Payments whose one retry comes after 5 s, without jitter. */
export function startSlowPayments(scripts: Script[], options: RetryPresetOptions = {}) {
  const mutations = { jitter: 'none', baseMs: 5_000, capMs: 5_000, ...options.mutations } as const
  return startPayments(scripts, { ...options, mutations })
}

/** A page that pays, with its notice. */
export function openPaymentNotice(
  scripts: Script[],
  { options, ...more }: { options?: RetryPresetOptions; [name: string]: unknown } = {},
) {
  const payments = startSlowPayments(scripts, options)
  const open = () =>
    renderHookWithClient(payments.client, () => {
      const pay = useIdempotentMutation({ ...payments.named, ...more })
      return { pay, notice: useRetryNotice(pay) }
    })
  const { result, unmount } = open()
  return {
    ...payments,
    page: result,
    open,
    unmount,
    notice: () => result.current.notice,
    /** A click, and what it leads to at once. */
    async pay(order: Order = { id: 'o1', amount: 12 }) {
      act(() => result.current.pay.mutate(order))
      await settle()
    },
    async cancel() {
      await act(async () => result.current.notice.cancel())
      await settle()
    },
    pass,
  }
}
