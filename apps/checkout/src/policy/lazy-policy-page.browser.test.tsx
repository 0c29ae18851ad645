import { expect, onTestFinished, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { openShop } from '../testing/open-shop.tsx'

test('where the code of the page does not come, the shop stays and says so', async () => {
  await cdp().send('Network.enable')
  const block = async (urls: string[]) => {
    await cdp().send('Network.setBlockedURLs', { urls })
  }
  await block(['*/policy/policy-page.tsx*'])
  onTestFinished(() => block([]))

  await openShop('/policy')
  const title = page.getByRole('heading', { level: 1 })
  await expect.element(title).toHaveTextContent('The policy could not be loaded')
  await expect.element(page.getByRole('button', { name: 'Load the page again' })).toBeVisible()
  await page.getByRole('link', { name: 'Orders' }).click()
  await expect.element(title).toHaveTextContent('Your orders')
})
