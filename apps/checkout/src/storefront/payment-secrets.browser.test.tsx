import type { RetryEvent } from '@query-retry/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { en } from '../language/messages.en.ts'
import { paymentRecord } from '../testing/payment-record.ts'
import { recordRequests, type SentRequest } from '../testing/record-requests.ts'
import { server } from '../testing/server.ts'
import { spellOut } from '../testing/spell-out.ts'
import {
  calledOff,
  declined,
  expectOneCharge,
  inDoubt,
  openOrder,
  PAY,
  paid,
  payButton,
  payDifferently,
} from '../testing/till.ts'
import { CARDS } from './use-payment.ts'

test('no key, card, amount or login is in an event, on the console, or in the record of calls', async () => {
  const requests = recordRequests()
  const written = recordConsole()
  const events: RetryEvent[] = []
  const openTill = async () => {
    const till = await openOrder()
    till.shop.preset.subscribe(event => events.push(event))
    return till
  }

  const retried = await openTill()
  await server.set('pay', { kind: 'lost-answer', calls: 1 })
  await payButton.click()
  await expect.element(paid).toBeVisible()
  await retried.screen.unmount()

  // A decline, a doubt that is called off, and a record that is damaged and finds no room any more.
  const fenced = await openTill()
  await page.getByRole('radio', { name: 'Card that is declined' }).click()
  await payButton.click()
  await expect.element(declined).toBeVisible()
  await page.getByRole('radio', { name: 'Card that works' }).click()
  await server.set('pay', { kind: 'close', calls: 2 })
  await payButton.click()
  await expect.element(inDoubt).toBeVisible()
  await payDifferently.click()
  await expect.element(calledOff).toBeVisible()
  paymentRecord.replace(fenced.order, paymentRecord.text(fenced.order).slice(1))
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  onTestFinished(() => full.mockRestore())
  await payButton.click()
  await expect.element(paid).toBeVisible()
  for (const { order } of [retried, fenced]) await expectOneCharge(order)

  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set(['attempt-failed', 'retry-scheduled', 'retry-started', 'recovered', 'gave-up']),
  )
  const console = written.join('\n')
  expect(console).toContain('Unreadable intent')
  expect(console).toContain('No room for intent')
  const told = { console, events: spellOut(events), calls: spellOut(await server.callReport()) }
  const secrets = secretsOf(requests)
  // Two orders and four keys, with a login each.
  expect(secrets.keys).toHaveLength(4)
  expect(secrets.logins).toHaveLength(2)
  for (const [where, text] of Object.entries(told)) {
    const found = Object.values(secrets)
      .flat()
      .filter(secret => text.includes(secret))
    expect(found, where).toEqual([])
  }
})

/** What must be told to nobody but the server. Of a key even its beginning, which the backstage shows. */
function secretsOf(requests: readonly SentRequest[]) {
  const payments = requests.filter(({ target }) => target === PAY)
  const different = (texts: (string | undefined)[]) => [...new Set(texts)].map(String)
  return {
    keys: different(payments.map(({ headers }) => headers.get('Idempotency-Key')?.slice(1, 9))),
    logins: different(payments.map(({ headers }) => headers.get('Authorization')?.slice(7))),
    payloads: different(payments.map(({ body }) => body)),
    cards: [...CARDS, ...Object.values(en.payment.cardNames)],
    amounts: ['124000', '124,000'],
  }
}

/** Everything that is written to the console, by whomever; errors that nobody caught end there as well. */
function recordConsole(): string[] {
  const written: string[] = []
  const write = (...details: unknown[]) => written.push(spellOut(details))
  const spies = (['debug', 'log', 'info', 'warn', 'error', 'trace', 'table', 'dir'] as const).map(
    method => vi.spyOn(console, method).mockImplementation(write),
  )
  const onError = ({ error, message }: ErrorEvent) => write(message, error)
  const onRejection = ({ reason }: PromiseRejectionEvent) => write(reason)
  addEventListener('error', onError)
  addEventListener('unhandledrejection', onRejection)
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    removeEventListener('error', onError)
    removeEventListener('unhandledrejection', onRejection)
  })
  return written
}
