import { startProvider } from '@query-retry/checkout-api'
import { startTestServer } from '@query-retry/checkout-api/testing'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server with its fault switches. */
    apiUrl: string
    /** The same server without them, as in production. */
    plainApiUrl: string
    /** The payment provider of both. */
    providerUrl: string
  }
}

/**
 * Starts the real server and the real provider, on free ports, with their data in memory. The server with
 * the faults lets any page read it: some tests are about pages that are not served as from this machine.
 */
export async function setup({ provide }: TestProject) {
  const provider = await startProvider()
  const servers = await Promise.all([
    startTestServer({ faults: true, providerUrl: provider.url, allowedOrigins: ['*'] }),
    startTestServer({ providerUrl: provider.url }),
  ])
  provide('apiUrl', servers[0].url)
  provide('plainApiUrl', servers[1].url)
  provide('providerUrl', provider.url)
  return async () => {
    await Promise.all(servers.map(server => server.close()))
    await provider.close()
  }
}
