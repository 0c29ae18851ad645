import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startServer } from '@query-retry/checkout-api'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { chromiumLaunchOptions } from './chromium.ts'

/**
 * Takes the pictures of the README: the real shop in a real browser, in the middle of an outage of the
 * real server.
 *
 *   pnpm screenshots
 */

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PICTURES = fileURLToPath(new URL('screenshots', import.meta.url))

const api = await startServer({ faults: true })
process.env.VITE_API_URL = api.url
await build({ root: HERE, logLevel: 'warn' })
const shop = await preview({ root: HERE, logLevel: 'warn', preview: { port: 0 } })
const browser = await chromium.launch(await chromiumLaunchOptions())
mkdirSync(PICTURES, { recursive: true })

for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({
    colorScheme,
    locale: 'en-GB',
    viewport: { width: 1280, height: 820 },
  })
  await page.goto(shop.resolvedUrls?.local[0] as string)
  await page.getByText('Hanji notebook').waitFor()
  await page.getByRole('radio', { name: 'Outage' }).check({ force: true })
  // The fourth wait is long enough to be caught in the middle.
  await page.getByText('Browser sent 4, server received 4').first().waitFor()
  await page.getByRole('timer').first().waitFor()
  await page.screenshot({ path: `${PICTURES}/outage-${colorScheme}.png` })
  await fetch(`${api.url}/faults`, { method: 'DELETE' })
  await page.close()
}

await browser.close()
await shop.close()
await api.close()
console.log(`Pictures in ${PICTURES}`)
