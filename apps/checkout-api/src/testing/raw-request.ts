import { connect } from 'node:net'

/**
 * Sends a request over a bare socket and gives back every byte that came before the connection
 * ended: what a client library would turn into one "fetch failed".
 */
export function requestRaw(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  body = '',
): Promise<Buffer> {
  const { hostname, port, pathname } = new URL(url)
  const lines = Object.entries({
    Host: `${hostname}:${port}`,
    ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`),
    )
    socket.on('data', chunk => chunks.push(chunk))
    // A reset is an ending like any other here.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}
