/** What happens to one request on its way. */
export type Fault =
  | 'none'
  /** Takes 5 s. */
  | 'slow'
  /** The connection is dead before the server has heard of it. */
  | 'lost-before'
  /** Charged; the answer is lost. */
  | 'lost-after'
  /** A proxy gives up; the request arrives 3 s later. */
  | 'late'
  /** Charged; a proxy answers for the server. */
  | 'gateway-timeout'
  | 'overloaded'
  | 'login'
  /** Stored as refused: nothing charged. */
  | 'declined'

interface Known {
  amount: number
  answer?: { status: number; type?: string; body?: unknown }
}

const seconds = (count: number) => new Promise(resolve => setTimeout(resolve, count * 1_000))
const problem = (status: number, slug: string) => ({
  status,
  data: { type: `https://query-retry.example/problems/${slug}` },
})

/**
 * A server that executes once for each key, and has no other protection: it charges an order as often
 * as it gets another key for it.
 */
export function chargingServer(faults: Fault[]) {
  const known = new Map<string, Known>()
  const charges: { key: string; amount: number }[] = []
  const left = [...faults]

  async function execute(key: string, amount: number, fault: Fault): Promise<unknown> {
    const earlier = known.get(key)
    if (earlier) {
      if (earlier.amount !== amount) throw problem(422, 'key-mismatch')
      if (!earlier.answer) throw problem(409, 'request-in-progress')
      if (earlier.answer.status === 402) throw problem(402, 'payment-declined')
      return earlier.answer.body
    }
    const entry: Known = { amount }
    known.set(key, entry)
    if (fault === 'slow') await seconds(5)
    if (fault === 'declined') {
      entry.answer = { status: 402 }
      throw problem(402, 'payment-declined')
    }
    charges.push({ key, amount })
    entry.answer = { status: 201, body: { charge: charges.length } }
    return entry.answer.body
  }

  return {
    charges,
    known,
    async charge(key: string, amount: number): Promise<unknown> {
      const fault = left.shift() ?? 'none'
      if (fault === 'lost-before') throw new TypeError('Failed to fetch')
      if (fault === 'overloaded') throw { status: 503 }
      if (fault === 'login') throw { status: 401 }
      if (fault === 'late') {
        seconds(3)
          .then(() => execute(key, amount, fault))
          .catch(() => {})
        throw { status: 504 }
      }
      const answer = await execute(key, amount, fault)
      if (fault === 'lost-after') throw new TypeError('Failed to fetch')
      if (fault === 'gateway-timeout') throw { status: 504 }
      return answer
    },
  }
}
