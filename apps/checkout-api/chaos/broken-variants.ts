import { randomUUID } from 'node:crypto'
import type { Database, Session } from '../src/database/database.ts'
import { problemAnswer } from '../src/idempotency/answer.ts'
import { UNKNOWN } from '../src/idempotency/operation.ts'
import { type Ownership, Records } from '../src/idempotency/records.ts'
import { DEFAULT_RETENTION } from '../src/idempotency/retention.ts'
import { insertPendingCharge } from '../src/payments/charges.ts'
import { paymentIdOf } from '../src/payments/payment.ts'
import type { PaymentOperation } from '../src/payments/payment-operation.ts'
import type { ServerSeams } from '../src/server.ts'
import type { ViolationKind } from './audit.ts'

/** A server with one mistake in it, and what the run has to say about it. */
export interface BrokenVariant {
  /** For people: what is left out, or done instead. */
  mistake: string
  /** Put between the parts of the real server, in its own process. */
  seams: () => Promise<ServerSeams>
  /** Done to the scratch database, once its schema is there. */
  sql?: string
  /** The situations that make it visible, of those that every honest run goes through. */
  situations: readonly string[]
  orders: number
  /** Each of these has to be reported. */
  expects: readonly ViolationKind[]
}

export const BROKEN_VARIANTS: Readonly<Record<string, BrokenVariant>> = {
  'no-epoch-check': {
    mistake: 'a worker that slept past its lease goes on writing',
    seams: async () => ({ database: await withoutEpochCheck() }),
    situations: ['fence-frozen'],
    orders: 3,
    // A CHECK of the table refuses to start a burnt key again, which ends in a 500.
    expects: ['unexpected'],
  },
  'no-epoch-check-at-all': {
    mistake: 'the same, without the CHECK that notices in time',
    seams: async () => ({ database: await withoutEpochCheck() }),
    sql: 'ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_check',
    situations: ['fence-frozen'],
    orders: 3,
    expects: ['two-answers'],
  },
  'fresh-provider-key': {
    mistake: 'every attempt charges under a key of its own',
    seams: async () => ({
      provider: provider => ({
        charge: (_effectKey, charge) => provider.charge(randomUUID(), charge),
        find: effectKey => provider.find(effectKey),
      }),
    }),
    situations: ['crash-performed', 'lost-after', 'slow'],
    orders: 3,
    expects: ['captured-twice'],
  },
  'unknown-is-final': {
    mistake: 'an unknown outcome is stored as the answer, and the order is open again',
    seams: async () => ({ payment: withUnknownAsFinal }),
    situations: ['lost-after', 'late-apply', 'slow'],
    orders: 3,
    expects: ['refused-key-captured', 'captured-without-payment'],
  },
  'record-deleted-on-error': {
    mistake: 'a key whose outcome is unknown is forgotten',
    seams: async () => ({ database: await withDeletingRelease() }),
    situations: ['lost-after', 'slow'],
    orders: 2,
    expects: ['captured-without-payment', 'unsettled-charge', 'unsettled-client'],
  },
  'provider-before-write-ahead': {
    mistake: 'the provider is called before anything is written down',
    seams: async () => ({ payment: withEarlyCharge }),
    situations: ['crash-starting', 'all-at-once'],
    orders: 2,
    expects: ['captured-twice', 'refused-key-captured'],
  },
  'two-charges-per-order': {
    mistake: 'nothing keeps an order from having two live charges',
    seams: async () => ({}),
    sql: 'DROP INDEX one_live_charge_per_order',
    situations: ['all-at-once', 'crash-performed'],
    orders: 2,
    expects: ['captured-twice'],
  },
  'no-order-guard': {
    mistake: 'the same, and a paid order is charged again',
    seams: async () => ({ payment: withoutOrderGuard }),
    sql: 'DROP INDEX one_live_charge_per_order',
    situations: ['all-at-once'],
    orders: 2,
    expects: ['captured-twice'],
  },
}

interface Statement {
  sql: string
  parameters?: readonly unknown[] | undefined
}

/** Every statement of a database and of its transactions, rewritten on its way. */
function rewriting(rewrite: (statement: Statement) => Statement): (database: Database) => Database {
  const within = (session: Session): Session => ({
    query(sql, parameters = []) {
      const rewritten = rewrite({ sql, parameters })
      return session.query(rewritten.sql, rewritten.parameters)
    },
    script: sql => session.script(sql),
  })
  return database => ({
    ...within(database),
    engine: database.engine,
    transaction: work => database.transaction(session => work(within(session))),
    close: () => database.close(),
  })
}

/** The parameter is still named: PostgreSQL wants to know its type. */
async function withoutEpochCheck() {
  const withoutCheck = (sql: string) => sql.replace('AND epoch = $3', 'AND $3::integer IS NOT NULL')
  for (const sql of await statementsOf(['start', 'finish'])) {
    if (withoutCheck(sql) === sql) throw new Error(`there is no epoch check in: ${sql}`)
  }
  return rewriting(({ sql, parameters }) => ({ sql: withoutCheck(sql), parameters }))
}

async function withDeletingRelease() {
  const [release] = await statementsOf(['release'])
  const forget = 'DELETE FROM idempotency_records WHERE scope = $1 AND key = $2 AND epoch = $3'
  return rewriting(({ sql, parameters }) =>
    sql === release ? { sql: forget, parameters: parameters?.slice(0, 3) } : { sql, parameters },
  )
}

/** The very SQL of these methods, by letting them speak to nobody. */
async function statementsOf(methods: readonly ('start' | 'finish' | 'release')[]) {
  const statements: string[] = []
  const nobody: Session = {
    query: async sql => {
      statements.push(sql)
      return []
    },
    script: async () => undefined,
  }
  const records = new Records(DEFAULT_RETENTION)
  const owner: Ownership = { scope: '', key: '', epoch: 1 }
  for (const method of methods) {
    if (method === 'finish') {
      await records.finish(nobody, owner, { status: 200, headers: {}, body: new Uint8Array() })
    } else await records[method](nobody, owner)
  }
  return statements
}

const NOBODY_KNOWS = 'nobody-knows'

function withUnknownAsFinal(payment: PaymentOperation): PaymentOperation {
  return {
    ...payment,
    async perform(execution) {
      const outcome = await payment.perform(execution)
      if (outcome !== UNKNOWN) return outcome
      return {
        status: 'declined',
        providerChargeId: `none_${execution.effectKey}`,
        createdAt: new Date().toISOString(),
        declineCode: NOBODY_KNOWS,
      }
    },
    answer(execution, outcome) {
      if (outcome.status !== 'declined' || outcome.declineCode !== NOBODY_KNOWS)
        return payment.answer(execution, outcome)
      return problemAnswer({ type: 'payment-failed', status: 503, title: 'The payment failed' })
    },
  }
}

function withEarlyCharge(payment: PaymentOperation): PaymentOperation {
  return {
    ...payment,
    async begin(session, execution) {
      await payment.perform(execution)
      return payment.begin(session, execution)
    },
  }
}

function withoutOrderGuard(payment: PaymentOperation): PaymentOperation {
  return {
    ...payment,
    async begin(session, { effectKey, input: { order, amount, currency } }) {
      const id = paymentIdOf(effectKey)
      await insertPendingCharge(session, { id, order, effectKey, total: { amount, currency } })
      return { kind: 'begun' }
    },
  }
}
