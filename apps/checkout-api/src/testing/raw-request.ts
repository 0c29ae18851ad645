import { connect } from 'node:net'

/**
 * Sends a GET over a bare socket and gives back every byte that came before the connection ended:
 * what a client library would turn into one "fetch failed".
 */
export function requestRaw(url: string): Promise<Buffer> {
  const { hostname, port, pathname } = new URL(url)
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`),
    )
    socket.on('data', chunk => chunks.push(chunk))
    // A reset is an ending like any other here.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}
