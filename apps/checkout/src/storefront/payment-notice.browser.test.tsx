import { expect, onTestFinished, test } from 'vitest'
import { server } from '../testing/server.ts'
import { answers, expectOneCharge, openOrder } from '../testing/till.ts'

/** What the notice of the till shows, one after another: the wait is half a second long. */
function recordTill(): string[] {
  const seen: string[] = []
  const observer = new MutationObserver(() => {
    const text = [...document.querySelectorAll('.payment .notice [data-part]')]
      .map(({ textContent }) => textContent)
      .join(' / ')
    if (text && text !== seen.at(-1)) seen.push(text)
  })
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  onTestFinished(() => observer.disconnect())
  return seen
}

test.each([
  ['en', 'Cannot reach the server. / Next try in 1 s / Cancel'],
  ['ko', '서버에 연결할 수 없어요. / 1초 뒤에 다시 시도해요 / 취소'],
] as const)(
  'a lost answer: the till counts down to the next attempt, in %s',
  async (language, text) => {
    const { order } = await openOrder({ language })
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    const seen = recordTill()
    document.querySelector<HTMLElement>('.payment__pay')?.click()

    await expect.poll(() => document.querySelector('.payment[data-phase="paid"]')).not.toBeNull()
    expect(seen).toContain(text)
    expect(await answers()).toHaveLength(2)
    await expectOneCharge(order)
  },
)
