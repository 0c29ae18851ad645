import { type App, type AppOptions, createApp } from '../app.ts'
import { Idempotency } from '../idempotency/idempotency.ts'
import { DEFAULT_RETENTION } from '../idempotency/retention.ts'
import { paymentOperation } from '../payments/payment-operation.ts'
import type { PaymentProvider } from '../payments/provider-client.ts'

/** The app without a socket, for tests that never pay: its provider is one that must not be asked. */
export function createTestApp(options: Pick<AppOptions, 'database' | 'log'>): App {
  const { database, log = () => undefined } = options
  const payment = paymentOperation(unreachableProvider)
  const idempotency = new Idempotency({
    database,
    retention: DEFAULT_RETENTION,
    operations: [payment],
    log,
  })
  return createApp({ database, idempotency, payment, log })
}

const unreachableProvider: PaymentProvider = {
  charge: () => Promise.reject(new Error('this test does not pay')),
  find: () => Promise.reject(new Error('this test does not pay')),
}
