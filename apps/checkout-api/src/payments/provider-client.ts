import * as v from 'valibot'
import { UNKNOWN } from '../idempotency/operation.ts'
import { innermostMessage } from '../innermost-message.ts'

export interface ChargeRequest {
  /** What the charge is for, in words of the shop: the order's id. */
  reference: string
  amount: number
  currency: string
  paymentMethod: string
}

/** What the provider has decided, for good. */
export type ChargeResult =
  | { status: 'captured'; providerChargeId: string; createdAt: string }
  | { status: 'declined'; providerChargeId: string; createdAt: string; declineCode: string }

/** The payment provider as the shop sees it. Nothing here rejects. */
export interface PaymentProvider {
  /**
   * Charges once for each effect key, however often it is called.
   *
   * @returns UNKNOWN for everything but a well-formed decision about this very charge: the provider
   * may have charged before its answer was lost, came late or made no sense
   */
  charge(effectKey: string, charge: ChargeRequest): Promise<ChargeResult | typeof UNKNOWN>
  /** @returns undefined where the provider knows no charge under that key */
  find(effectKey: string): Promise<ChargeResult | undefined | typeof UNKNOWN>
}

export interface ProviderClientOptions {
  /** For example `http://127.0.0.1:8788`. */
  url: string
  /** Limit of one call. Well under the lease of an execution. */
  timeoutMs: number
  log: (line: string) => void
}

/** As narrow as what we store: a decision that cannot be written down would never be settled. */
const name = v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/))

const decisionMembers = {
  id: name,
  reference: v.string(),
  amount: v.number(),
  currency: v.string(),
  createdAt: v.pipe(
    v.string(),
    v.isoTimestamp(),
    // JavaScript reads 31 February as 3 March; PostgreSQL would refuse it.
    v.transform(text => new Date(text)),
    v.check(date => !Number.isNaN(date.getTime())),
    v.transform(date => date.toISOString()),
  ),
}

const decisionSchema = v.variant('status', [
  v.object({ ...decisionMembers, status: v.literal('captured') }),
  v.object({ ...decisionMembers, status: v.literal('declined'), declineCode: name }),
])

/** The provider over HTTP. */
export function connectProvider({ url, timeoutMs, log }: ProviderClientOptions): PaymentProvider {
  const call = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    try {
      return await fetch(url + path, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (error) {
      log(`The payment provider gave no answer (${innermostMessage(error)})`)
      return undefined
    }
  }
  /** Only what the provider says in its own form is a decision; a proxy's page in between is none. */
  const readDecision = async (response: Response) => {
    const parsed = v.safeParse(decisionSchema, await response.json().catch(() => undefined))
    const expected = parsed.success && parsed.output.status === 'captured' ? [200, 201] : [200, 402]
    if (parsed.success && expected.includes(response.status)) return parsed.output
    log(`The payment provider answered ${response.status}, which decides nothing`)
    return undefined
  }

  return {
    async charge(effectKey, charge) {
      const response = await call('/charges', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': effectKey },
        body: JSON.stringify(charge),
      })
      const decision = response && (await readDecision(response))
      if (!decision) return UNKNOWN
      const isOurs =
        decision.reference === charge.reference &&
        decision.amount === charge.amount &&
        decision.currency === charge.currency
      if (isOurs) return toResult(decision)
      log(`The payment provider answered for another charge than the one of ${charge.reference}`)
      return UNKNOWN
    },

    async find(effectKey) {
      const response = await call(`/charges/by-key/${encodeURIComponent(effectKey)}`, {})
      if (response?.status === 404) {
        const isProviders = response.headers.get('content-type') === 'application/problem+json'
        return isProviders ? undefined : UNKNOWN
      }
      const decision = response && (await readDecision(response))
      return decision ? toResult(decision) : UNKNOWN
    },
  }
}

function toResult(decision: v.InferOutput<typeof decisionSchema>): ChargeResult {
  const { id: providerChargeId, createdAt } = decision
  return decision.status === 'captured'
    ? { status: 'captured', providerChargeId, createdAt }
    : { status: 'declined', providerChargeId, createdAt, declineCode: decision.declineCode }
}
