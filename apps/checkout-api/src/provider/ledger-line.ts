import * as v from 'valibot'
import type { LedgerEntry } from './ledger.ts'

// Valibot gives the members back in this order, which is the one of the first answer.
const ledgerEntry = v.strictObject({
  key: v.string(),
  fingerprint: v.string(),
  charge: v.strictObject({
    id: v.string(),
    status: v.picklist(['captured', 'declined']),
    declineCode: v.optional(v.string()),
    reference: v.string(),
    amount: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    currency: v.string(),
    createdAt: v.pipe(v.string(), v.isoTimestamp()),
  }),
})

/** The entry as one line of JSON, with its end: a line without one was cut while it was written. */
export function formatLedgerLine(entry: LedgerEntry): string {
  return `${JSON.stringify(entry)}\n`
}

/** @returns undefined where the line is no entry; never throws */
export function parseLedgerLine(line: string): LedgerEntry | undefined {
  try {
    return v.parse(ledgerEntry, JSON.parse(line))
  } catch {
    return undefined
  }
}
