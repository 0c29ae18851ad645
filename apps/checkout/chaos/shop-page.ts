import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, defaultClientConditions, type Rolldown } from 'vite'

const ROOT = fileURLToPath(new URL('./client', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
}

/** The page of the clients, built once and served from memory, on an origin of its own. */
export async function serveShopPage(): Promise<{ url: string; close(): void }> {
  const files = await buildPage()
  const server = createServer(({ url = '/' }, outgoing) => {
    const name = new URL(url, 'http://page').pathname.slice(1) || 'index.html'
    const file = files.get(name)
    outgoing.writeHead(file === undefined ? 404 : 200, {
      // Their names hold a hash; without this each load would compile them anew.
      ...(name.startsWith('assets/') && { 'cache-control': 'max-age=3600, immutable' }),
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    })
    outgoing.end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function buildPage(): Promise<Map<string, string | Uint8Array>> {
  const built = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    resolve: { conditions: ['source', ...defaultClientConditions] },
    build: { write: false, modulePreload: false },
  })) as Rolldown.RolldownOutput
  return new Map(
    built.output.map(file => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  )
}
