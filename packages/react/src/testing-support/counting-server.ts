import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A real HTTP server that counts its calls. The path says what it does: `/503` and other statuses, or
 * `/close`, which drops the connection without an answer.
 */
export async function startCountingServer() {
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    const what = request.url?.split('/')[1]
    if (what === 'close') return request.socket.destroy()
    response.writeHead(Number(what), { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The calls since the last time it was asked. */
    takeCalls() {
      const taken = calls
      calls = 0
      return taken
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
