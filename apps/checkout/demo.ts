import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  PROVIDER_PROGRAM,
  type RunningChild,
  type RunningServer,
  startChild,
  startServer,
} from '@query-retry/checkout-api'
import { build, type PreviewServer, preview } from 'vite'

/**
 * The demo in one command: the payment provider as a process of its own, the API with its fault
 * switches and an embedded database, and the shop built and served. Ctrl+C leaves nothing behind.
 */

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DATA_DIR = fileURLToPath(new URL('.data', import.meta.url))
const API_PORT = 8787
const PROVIDER_PORT = 8788
const SHOP_PORT = 5173
const PORTS_TO_TRY = 20

const running: { provider?: RunningChild; api?: RunningServer; shop?: PreviewServer } = {}
/** One Ctrl+C reaches us twice where a package manager hands it on, within this. */
const SAME_SIGNAL_MS = 500
let stopAskedAtMs: number | undefined

process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)

try {
  await start()
} catch (error) {
  console.error(`\nThe demo could not start: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
  await closeAll()
}

async function start() {
  const isFirstTime = !existsSync(DATA_DIR)
  console.log(
    isFirstTime
      ? 'Creating the database. This takes some ten seconds, the first time only ...'
      : 'Opening the database ...',
  )
  running.provider = startChild(
    PROVIDER_PROGRAM,
    { PORT: `${await findFreePort(PROVIDER_PORT)}`, DATA_DIR: join(DATA_DIR, 'provider') },
    line => console.log(`  provider: ${line}`),
  )
  const providerUrl = await running.provider.url
  if (stopAskedAtMs !== undefined) return closeAll()
  running.api = await startServer({
    port: await findFreePort(API_PORT),
    dataDir: DATA_DIR,
    providerUrl,
    faults: true,
    log: line => console.log(`  api: ${line}`),
  })
  if (stopAskedAtMs !== undefined) return closeAll()

  console.log('Building the shop ...')
  // The addresses go into the pages, so the build comes after the ports are known.
  process.env.VITE_API_URL = running.api.url
  process.env.VITE_PROVIDER_URL = providerUrl
  await build({ root: HERE, logLevel: 'warn' })
  if (stopAskedAtMs !== undefined) return closeAll()
  running.shop = await preview({
    root: HERE,
    logLevel: 'warn',
    preview: { port: await findFreePort(SHOP_PORT), strictPort: true },
  })

  const address = running.shop.resolvedUrls?.local[0] ?? ''
  console.log(`
  Ink & Leaf is open.

    Shop      ${address}
    Server    ${running.api.url}   (what it received: ${running.api.url}/faults/calls)
    Provider  ${providerUrl}   (what it charged: ${providerUrl}/ledger)

  Open the shop, choose "Outage" in the panel called "Backstage", and watch.
  Stop everything with Ctrl+C.
`)
}

function onSignal() {
  const now = performance.now()
  // A second Ctrl+C means now.
  if (stopAskedAtMs !== undefined && now - stopAskedAtMs > SAME_SIGNAL_MS) process.exit(1)
  if (stopAskedAtMs !== undefined) return
  stopAskedAtMs = now
  // What is not there yet, the start closes once it has it.
  void closeAll()
}

async function closeAll() {
  const { provider, api, shop } = running
  if (api || shop) console.log('\nClosing the shop ...')
  await Promise.allSettled([shop?.close(), api?.close()])
  // After the server: what it is charging right now may still end well.
  provider?.process.kill()
  await provider?.ended
  if (provider || api || shop) process.exit(process.exitCode ?? 0)
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
