import type { Money } from '@query-retry/checkout-api'
import type { Language } from '../language/language.tsx'

/**
 * An amount as a price tag says it. Korean tags put 원 behind the number; the ₩ of `Intl` is what
 * bank statements use.
 *
 * @example formatMoney({ amount: 14000, currency: 'KRW' }, 'ko') // => '14,000원'
 */
export function formatMoney({ amount, currency }: Money, language: Language): string {
  if (language === 'ko' && currency === 'KRW') return `${amount.toLocaleString('ko')}원`
  const format = new Intl.NumberFormat(language, { style: 'currency', currency })
  // The server counts in minor units: won have none, euros have two digits of them.
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0))
}
