import { type RunningServer, type ServerOptions, startServer } from '../server.ts'
import { createTestDatabase } from './test-database.ts'

/** A server on a free port with a database of its own, both gone after `close`. */
export async function startTestServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { databaseUrl, initialCluster, drop } = await createTestDatabase()
  try {
    const server = await startServer({ databaseUrl, ...options }, { initialCluster })
    let closed: Promise<void> | undefined
    return {
      url: server.url,
      close() {
        closed ??= server.close().then(drop)
        return closed
      },
    }
  } catch (error) {
    await drop()
    throw error
  }
}
