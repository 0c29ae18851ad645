import { startServer } from '@query-retry/checkout-api'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server with its fault switches. */
    apiUrl: string
    /** The same server without them, as in production. */
    plainApiUrl: string
  }
}

/** Starts the real server, on free ports, with its database in memory. */
export async function setup({ provide }: TestProject) {
  const servers = await Promise.all([startServer({ faults: true }), startServer()])
  provide('apiUrl', servers[0].url)
  provide('plainApiUrl', servers[1].url)
  return async () => {
    await Promise.all(servers.map(server => server.close()))
  }
}
