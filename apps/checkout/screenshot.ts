import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startProvider, startServer } from '@query-retry/checkout-api'
import { chromium, type Page } from 'playwright'
import { build, preview } from 'vite'
import { chromiumLaunchOptions } from './chromium.ts'

/**
 * Takes the pictures of the README: the real shop in a real browser, with the real server and the real
 * payment provider, in the middle of an outage and of a payment in doubt.
 *
 *   pnpm screenshots
 */

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PICTURES = fileURLToPath(new URL('screenshots', import.meta.url))

const provider = await startProvider()
const api = await startServer({ faults: true, providerUrl: provider.url })
process.env.VITE_API_URL = api.url
process.env.VITE_PROVIDER_URL = provider.url
await build({ root: HERE, logLevel: 'warn' })
const shop = await preview({ root: HERE, logLevel: 'warn', preview: { port: 0 } })
const address = shop.resolvedUrls?.local[0] as string
const browser = await chromium.launch(await chromiumLaunchOptions())
mkdirSync(PICTURES, { recursive: true })

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, show] of Object.entries({ outage: showOutage, payment: showPayment })) {
    const page = await browser.newPage({
      colorScheme,
      locale: 'en-GB',
      viewport: { width: 1280, height: 820 },
    })
    await show(page)
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` })
    await fetch(`${api.url}/faults`, { method: 'DELETE' })
    await page.close()
  }
}

await browser.close()
await shop.close()
await api.close()
await provider.close()
console.log(`Pictures in ${PICTURES}`)

async function showOutage(page: Page): Promise<void> {
  await page.goto(address)
  await page.getByText('Hanji notebook').waitFor()
  await page.getByRole('radio', { name: 'Outage', exact: true }).check({ force: true })
  // The fourth wait is long enough to be caught in the middle; the cart, further down, has its own.
  const catalogue = page.locator('.timeline__tracks > li').first()
  const fourth = catalogue.getByText('Browser sent 4, server received 4')
  const isCaught = () =>
    fourth.waitFor({ timeout: 20_000 }).then(
      () => true,
      () => false,
    )
  // Its draw may be too short for that.
  while (!(await isCaught())) await page.getByRole('button', { name: 'Ask again' }).click()
  await page.getByRole('timer').first().waitFor()
}

/** The provider has charged and lost its answer: the ledger knows, the shop does not. */
async function showPayment(page: Page): Promise<void> {
  await page.goto(`${address}cart`)
  await page.getByRole('button', { name: /place order/i }).click()
  await page.getByRole('radio', { name: /provider loses its answer/i }).check({ force: true })
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.getByRole('button', { name: 'Check again' }).waitFor()
}
