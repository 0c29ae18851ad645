import { onlineManager } from '@tanstack/react-query'
import { beforeEach } from 'vitest'
import { page } from 'vitest/browser'
import { ApiError } from '../api.ts'
import { setColours, setNetwork } from './browser.ts'
import { provider, server } from './server.ts'

/** One server and one browser serve all tests: each begins in calm weather and daylight. */
beforeEach(async () => {
  localStorage.clear()
  sessionStorage.clear()
  onlineManager.setOnline(true)
  await page.viewport(1280, 900)
  await setColours('light')
  await setNetwork('connected')
  await server.clear()
  await provider.setFaults([])
  await server.forgetCalls()
})

/** React reports what an error boundary caught; in these tests that is the point. */
const report = console.error
console.error = (...details) => {
  if (!details.some(detail => detail instanceof ApiError)) report(...details)
}
