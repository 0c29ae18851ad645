import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { SettingError } from './setting-error.ts'

export interface ListenOptions {
  port: number
  host: string
  /** False: one request per connection. */
  keepAlive: boolean
  /** Answers that are under way at `close` get this long. Default 2000. */
  closeGraceMs?: number
  answer: (request: Request, bindings: HttpBindings) => Response | Promise<Response>
}

export interface Listener {
  /** Where it answers, without a trailing slash. */
  url: string
  /** Takes no more connections; resolves when the last one has ended. */
  close(): Promise<void>
}

/** @throws SettingError naming PORT or HOST when the address cannot be had */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { port, host, keepAlive, closeGraceMs = 2_000, answer } = options
  const listener = getRequestListener((request, env) => answer(request, env as HttpBindings), {
    // Whoever starts this server inside a test keeps their own Request and Response.
    overrideGlobalObjects: false,
  })
  const silent = new Set<Socket>()
  const server = createServer((incoming, outgoing) => {
    silent.delete(incoming.socket)
    if (!keepAlive) outgoing.shouldKeepAlive = false
    return listener(incoming, outgoing)
  })
  server.on('connection', socket => {
    silent.add(socket)
    socket.on('close', () => silent.delete(socket))
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw explain(error, port, host)
  }
  const { port: boundPort } = server.address() as AddressInfo
  const hostInUrl = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${hostInUrl}:${boundPort}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      // Node closes connections between two requests, but waits for those without a first one,
      // and browsers open such ahead of need.
      for (const socket of silent) socket.destroy()
      const cut = setTimeout(() => server.closeAllConnections(), closeGraceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

function explain(error: unknown, port: number, host: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new SettingError(
      'PORT',
      String(port),
      `is already in use on ${host}`,
      'Stop the process that has it or choose another, for example PORT=0 for any free one.',
      error,
    )
  }
  if (code === 'EACCES') {
    const fix = 'Choose one from 1024 upwards.'
    return new SettingError('PORT', String(port), 'may not be used by this user', fix, error)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const fix = 'Give 127.0.0.1, or 0.0.0.0 for every interface.'
    return new SettingError('HOST', host, 'is no address of this machine', fix, error)
  }
  return error
}
