import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a server, to cut the line between the two and to mend it. */
export async function startBreakableProxy(target: URL) {
  const sockets = new Set<Socket>()
  let isBroken = false

  const server = createServer(near => {
    if (isBroken) return near.destroy()
    const far = connect(Number(target.port || 5432), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    break() {
      isBroken = true
      cut()
    },
    mend() {
      isBroken = false
    },
    close() {
      cut()
      server.close()
    },
  }
}
