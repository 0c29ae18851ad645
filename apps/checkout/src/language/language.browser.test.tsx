import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { recall } from '../remembered.ts'
import { longWaits } from '../testing/fast-retries.ts'
import { openShop } from '../testing/open-shop.tsx'
import { server } from '../testing/server.ts'
import { en } from './messages.en.ts'
import { ko } from './messages.ko.ts'

test('the switch turns page, notice, title and lang, and is remembered', async () => {
  await server.set('catalogue', { kind: 'status', status: 503 })
  const { notice, phase } = await openShop('/', { retry: longWaits })
  await expect.poll(phase).toBe('waiting')
  expect(document.documentElement.lang).toBe('en')

  await page.getByRole('button', { name: '한국어' }).click()
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('종이와 먹, 그리고 찻잎')
  await expect.element(notice).toHaveTextContent('서버에 문제가 생겼어요.')
  await expect.poll(() => document.title).toBe('종이와 먹, 그리고 찻잎 · 먹과 잎')
  expect(document.documentElement.lang).toBe('ko')
  expect(recall('language')).toBe('ko')

  await page.getByRole('button', { name: 'English' }).click()
  await expect.element(page.getByRole('link', { name: 'Orders' })).toBeVisible()
  expect(recall('language')).toBe('en')
})

test('Korean says everything that English says', () => {
  const paths = (value: object, path = ''): string[] =>
    Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'object' ? paths(inner, `${path}${key}.`) : [path + key],
    )
  expect(paths(ko).sort()).toEqual(paths(en).sort())
})
