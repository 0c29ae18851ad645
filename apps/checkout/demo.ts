import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from '@query-retry/checkout-api'
import { build, type PreviewServer, preview } from 'vite'

/**
 * The demo in one command: the API with its fault switches and an embedded database, and the shop
 * built and served. Everything runs in this one process, so Ctrl+C leaves nothing behind.
 */

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DATA_DIR = fileURLToPath(new URL('.data', import.meta.url))
const API_PORT = 8787
const SHOP_PORT = 5173
const PORTS_TO_TRY = 20

const running: { api?: RunningServer; shop?: PreviewServer } = {}
let isStopping = false

process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  await start()
} catch (error) {
  console.error(`\nThe demo could not start: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
  await stop()
}

async function start() {
  const isFirstTime = !existsSync(DATA_DIR)
  console.log(
    isFirstTime
      ? 'Creating the database. This takes some ten seconds, the first time only ...'
      : 'Opening the database ...',
  )
  running.api = await startServer({
    port: await findFreePort(API_PORT),
    dataDir: DATA_DIR,
    faults: true,
    log: line => console.log(`  api: ${line}`),
  })
  if (isStopping) return stop()

  console.log('Building the shop ...')
  // The address goes into the pages, so the build comes after the port is known.
  process.env.VITE_API_URL = running.api.url
  await build({ root: HERE, logLevel: 'warn' })
  if (isStopping) return stop()
  running.shop = await preview({
    root: HERE,
    logLevel: 'warn',
    preview: { port: await findFreePort(SHOP_PORT), strictPort: true },
  })

  const address = running.shop.resolvedUrls?.local[0] ?? ''
  console.log(`
  Ink & Leaf is open.

    Shop    ${address}
    Server  ${running.api.url}   (what it received: ${running.api.url}/faults/calls)

  Open the shop, choose "Outage" in the panel called "Backstage", and watch.
  Stop everything with Ctrl+C.
`)
}

async function stop() {
  // A second Ctrl+C means now.
  if (isStopping && (running.api || running.shop)) process.exit(1)
  isStopping = true
  const { api, shop } = running
  if (api || shop) console.log('\nClosing the shop ...')
  await Promise.allSettled([shop?.close(), api?.close()])
  // Before anything runs, the start looks at `isStopping` itself once it has something to close.
  if (api || shop) process.exit(process.exitCode ?? 0)
}

/** The first free port from `wanted` on: a demo should start even where something runs already. */
async function findFreePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + PORTS_TO_TRY; port++) {
    // A browser takes `localhost` for either of the two.
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
    console.log(`  Port ${port} is taken; trying ${port + 1}.`)
  }
  throw new Error(`ports ${wanted} to ${wanted + PORTS_TO_TRY - 1} are all taken; free one of them`)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    // A machine without IPv6 has nobody on ::1 either.
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
