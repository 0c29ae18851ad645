import type { Charge } from '@query-retry/checkout-api'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useShop } from '../shop.ts'
import { lookEverySecond } from './look-every-second.ts'
import { type PaymentTrouble, setTrouble, troubleOf } from './payment-trouble.ts'

/** What others than the browser know of an order's payment. */
interface Evidence {
  /** The provider's entries; undefined where it does not tell. */
  charges: readonly Charge[] | undefined
  trouble: PaymentTrouble
  /** The last change of trouble was not taken. */
  wasRefused: boolean
  /** Whether there are switches for trouble. */
  isAdjustable: boolean
}

/** Reads ledger and troubles every second, and at once when `news` changes. */
export function usePaymentEvidence(order: string, news: unknown) {
  const { faults, provider } = useShop()
  const [evidence, setEvidence] = useState<Evidence>({
    charges: undefined,
    trouble: 'none',
    wasRefused: false,
    isAdjustable: false,
  })
  /** What was read before a change says nothing about after it. */
  const changeCount = useRef(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: news is a reason to look, not a value
  useEffect(() => {
    const read = async () => {
      const countBefore = changeCount.current
      const found = await Promise.all([
        provider.readCharges(order),
        provider.readFaults(),
        faults.read(),
      ])
      return [countBefore, ...found] as const
    }
    return lookEverySecond(read, ([countBefore, charges, plan, switches]) => {
      const isAdjustable = switches.status === 'on' && plan !== undefined
      const found = isAdjustable && troubleOf(order, switches.faults.pay, plan)
      setEvidence(before => ({
        ...before,
        charges,
        isAdjustable,
        ...(found && countBefore === changeCount.current && { trouble: found }),
      }))
    })
  }, [order, news, provider, faults])

  const choose = useCallback(
    async (trouble: PaymentTrouble) => {
      changeCount.current += 1
      // Shown at once; server and provider follow.
      setEvidence(before => ({ ...before, trouble, wasRefused: false }))
      try {
        await setTrouble(order, trouble, { faults, provider })
      } catch {
        setEvidence(before => ({ ...before, wasRefused: true }))
      }
      changeCount.current += 1
    },
    [order, faults, provider],
  )

  return { ...evidence, choose }
}
