import { expect, onTestFinished, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { openShop } from '../testing/open-shop.tsx'

test.each([
  { path: '/policy', code: '*/policy/policy-page.tsx*', says: 'The policy could not be loaded' },
  { path: '/storm', code: '*/storm/storm-page.tsx*', says: 'The storm could not be loaded' },
])('where the code of $path does not come, the shop stays and says so', async row => {
  await cdp().send('Network.enable')
  const block = async (urls: string[]) => {
    await cdp().send('Network.setBlockedURLs', { urls })
  }
  await block([row.code])
  onTestFinished(() => block([]))

  await openShop(row.path)
  const title = page.getByRole('heading', { level: 1 })
  await expect.element(title).toHaveTextContent(row.says)
  await expect.element(page.getByRole('button', { name: 'Load the page again' })).toBeVisible()
  await page.getByRole('link', { name: 'Orders' }).click()
  await expect.element(title).toHaveTextContent('Your orders')
})
