/** A request about a payment: to make it, to ask what became of it, or to burn its key. */
export interface PaymentRequestLine {
  kind: 'pay' | 'look-up' | 'fence'
  order: string
  key: string
  /** Of a payment: 1-based, within its execution. */
  attempt?: number
}

/** Such a request, as this browser saw it. */
export interface SentPayment extends Omit<PaymentRequestLine, 'key'> {
  /** The beginning of its key: enough to tell keys apart, too little to use one. */
  shortKey: string
  answer: PaymentAnswer
}

/** `open`: none yet. `lost`: none came. `left`: the page was closed before one came. */
export type PaymentAnswer =
  | { kind: 'open' | 'lost' | 'left' }
  | { kind: 'status'; status: number; isReplay: boolean }

export type PaymentLog = ReturnType<typeof createPaymentLog>

const STORAGE_KEY = 'ink-and-leaf:payment-log'
const MOST_ENTRIES = 100
const SHORT_KEY_LENGTH = 8

/** Writes down every request about a payment from this tab. A reload keeps it: the key does not change there either. */
export function createPaymentLog() {
  let entries = restore()
  const listeners = new Set<() => void>()

  function update(next: readonly SentPayment[]) {
    entries = next.slice(-MOST_ENTRIES)
    keep(entries)
    for (const listener of listeners) listener()
  }

  return {
    getSnapshot: () => entries,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    /** @returns takes the answer, or undefined where none came; only the first counts */
    recordSend({ key, ...line }: PaymentRequestLine) {
      let entry: SentPayment = {
        ...line,
        shortKey: key.slice(0, SHORT_KEY_LENGTH),
        answer: { kind: 'open' },
      }
      update([...entries, entry])
      return (response: Response | undefined) => {
        if (entry.answer.kind !== 'open') return
        const before = entry
        entry = { ...entry, answer: answerOf(response) }
        update(entries.map(each => (each === before ? entry : each)))
      }
    },
  }
}

function answerOf(response: Response | undefined): PaymentAnswer {
  if (!response) return { kind: 'lost' }
  const isReplay = response.headers.get('Idempotency-Status') === 'replayed'
  return { kind: 'status', status: response.status, isReplay }
}

function restore(): readonly SentPayment[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as SentPayment[]
    return kept.map(entry =>
      entry.answer.kind === 'open' ? { ...entry, answer: { kind: 'left' } } : entry,
    )
  } catch {
    return []
  }
}

function keep(entries: readonly SentPayment[]): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(entries))
  } catch {
    // A log that a reload forgets is still a log.
  }
}
