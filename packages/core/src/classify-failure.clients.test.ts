import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { create, createFileRegistry, type DescService } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, file_google_protobuf_empty } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { createClient as createSupabase } from '@supabase/supabase-js'
import { createTRPCClient, httpBatchLink, httpLink, type TRPCLink } from '@trpc/client'
import type { AnyTRPCRouter } from '@trpc/server'
import axios from 'axios'
import { GraphQLClient } from 'graphql-request'
import ky from 'ky'
import { ofetch } from 'ofetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'

/**
 * The errors of the real clients, from a real server. The first part of the path chooses what the
 * server does: a status, `hang` (never answers) or `close` (drops the connection).
 */
let server: Server
let base: string
/** An address where nobody listens. */
let nowhere: string

function listen(listening: Server): Promise<string> {
  return new Promise(resolve => {
    listening.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`)
    })
  })
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, what] = (request.url ?? '').split('/')
    if (what === 'close') return request.socket.destroy()
    if (what === 'hang') return
    response.writeHead(Number(what), { 'content-type': 'application/json', 'retry-after': '7' })
    response.end('{"message":"busy"}')
  })
  base = await listen(server)
  const closing = createServer()
  nowhere = await listen(closing)
  await new Promise(resolve => closing.close(resolve))
})

afterAll(() => {
  server.closeAllConnections()
  return new Promise(resolve => server.close(resolve))
})

interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
}
type Call = (url: string, options: CallOptions) => Promise<unknown>

/** For clients without a timeout of their own: the platform's. */
const anySignal = ({ signal, timeoutMs }: CallOptions) =>
  timeoutMs === undefined ? signal : AbortSignal.timeout(timeoutMs)

const orders = (): DescService => {
  const file = create(FileDescriptorProtoSchema, {
    name: 'orders.proto',
    package: 'shop',
    syntax: 'proto3',
    dependency: ['google/protobuf/empty.proto'],
    service: [
      {
        name: 'Orders',
        method: [
          {
            name: 'Get',
            inputType: '.google.protobuf.Empty',
            outputType: '.google.protobuf.Empty',
          },
        ],
      },
    ],
  })
  const service = createFileRegistry(file, () => file_google_protobuf_empty).getService(
    'shop.Orders',
  )
  if (!service) throw new Error('The descriptor lacks its service.')
  return service
}

const trpc = (link: (url: string) => TRPCLink<AnyTRPCRouter>): Call => {
  return (url, options) => {
    // Without a router type the client's own types end here; at run time any path is a procedure.
    const client = createTRPCClient<AnyTRPCRouter>({ links: [link(url)] }) as unknown as {
      orders: { query(input: undefined, options: { signal?: AbortSignal }): Promise<unknown> }
    }
    return client.orders.query(undefined, { signal: anySignal(options) })
  }
}

const supabase = (url: string) =>
  createSupabase(url, 'key', { auth: { persistSession: false, autoRefreshToken: false } })

function selectOrders(url: string, options: CallOptions) {
  const query = supabase(url).from('orders').select()
  const signal = anySignal(options)
  return signal ? query.abortSignal(signal) : query
}

const clients: Record<string, Call> = {
  'fetch, its Response thrown': async (url, options) => {
    const response = await fetch(url, { signal: anySignal(options) })
    if (!response.ok) throw response
  },
  'axios on http': (url, { signal, timeoutMs }) =>
    axios.get(url, { signal, timeout: timeoutMs, adapter: 'http' }),
  'axios on fetch': (url, { signal, timeoutMs }) =>
    axios.get(url, { signal, timeout: timeoutMs, adapter: 'fetch' }),
  ky: (url, { signal, timeoutMs }) => ky.get(url, { signal, timeout: timeoutMs, retry: 0 }).json(),
  ofetch: (url, { signal, timeoutMs }) => ofetch(url, { signal, timeout: timeoutMs, retry: 0 }),
  'graphql-request': (url, options) =>
    new GraphQLClient(url).request({ document: '{ order }', signal: anySignal(options) }),
  'tRPC httpLink': trpc(url => httpLink({ url })),
  'tRPC httpBatchLink': trpc(url => httpBatchLink({ url })),
  Connect: (url, { signal, timeoutMs }) => {
    const client = createClient(orders(), createConnectTransport({ baseUrl: url }))
    const get = client.get as unknown as (input: object, options: CallOptions) => Promise<unknown>
    return get({}, { signal, timeoutMs })
  },
  // Supabase's error does not carry the status: the caller has to put it there.
  Supabase: async (url, options) => {
    const { error, status } = await selectOrders(url, options)
    if (error) throw Object.assign(error, { status })
  },
  'Supabase functions': async (url, options) => {
    const { error } = await supabase(url).functions.invoke('orders', { signal: anySignal(options) })
    if (error) throw error
  },
}
const names = Object.keys(clients)
const except = (...left: string[]) => names.filter(name => !left.includes(name))

/** A signal that aborts once the calls of this turn have begun. */
function abortSoon(): AbortSignal {
  const controller = new AbortController()
  queueMicrotask(() => controller.abort())
  return controller.signal
}

async function failureOf(name: string, url: string, options: CallOptions = {}) {
  const call = clients[name] as Call
  const error = await call(url, options).then(
    () => expect.unreachable(`${name} did not fail`),
    (reason: unknown) => reason,
  )
  return classifyFailure(error)
}

describe('classifyFailure, errors of real clients', () => {
  it.each(except('Supabase'))('reads a 503 with Retry-After: 7 from %s', async name => {
    expect(await failureOf(name, `${base}/503`)).toEqual({
      kind: 'http',
      retryable: true,
      reason: 'http-503',
      status: 503,
      serverWaitMs: 7_000,
      effect: 'unknown',
    })
  })

  it('reads a 503 from Supabase, which hides Retry-After', async () => {
    const failure = await failureOf('Supabase', `${base}/503`)
    expect(failure).toMatchObject({ reason: 'http-503', retryable: true })
    expect(failure.serverWaitMs).toBeUndefined()
  })

  it.each(except('Connect'))('does not retry a 404 from %s', async name => {
    expect(await failureOf(name, `${base}/404`)).toMatchObject({
      kind: 'http',
      retryable: false,
      reason: 'http-404',
      effect: 'rejected',
    })
  })

  it('does not retry a 404 from Connect, whose code is "unimplemented"', async () => {
    expect(await failureOf('Connect', `${base}/404`)).toMatchObject({ retryable: false })
  })

  it.each(names)('retries a refused connection from %s as network', async name => {
    expect(await failureOf(name, nowhere)).toMatchObject({ kind: 'network', retryable: true })
  })

  it.each(names)(
    'retries a connection that closes without an answer from %s as network',
    async name => {
      expect(await failureOf(name, `${base}/close`)).toMatchObject({
        kind: 'network',
        retryable: true,
        effect: 'unknown',
      })
    },
  )

  it.each(except('Connect', 'tRPC httpLink', 'tRPC httpBatchLink', 'Supabase'))(
    'retries a timeout of 20 ms from %s',
    async name => {
      expect(await failureOf(name, `${base}/hang`, { timeoutMs: 20 })).toMatchObject({
        kind: 'timeout',
        retryable: true,
        effect: 'unknown',
      })
    },
  )

  it('retries a timeout of 20 ms from Connect, whose code means 504', async () => {
    expect(await failureOf('Connect', `${base}/hang`, { timeoutMs: 20 })).toMatchObject({
      reason: 'http-504',
      retryable: true,
      effect: 'unknown',
    })
  })

  it.each([
    ['tRPC httpLink', 'cancelled'],
    ['tRPC httpBatchLink', 'cancelled'],
    ['Supabase', 'unknown'],
  ])(
    'does not retry AbortSignal.timeout from %s, which hides the signal’s reason: %s',
    async (name, kind) => {
      expect(await failureOf(name, `${base}/hang`, { timeoutMs: 20 })).toMatchObject({
        kind,
        retryable: false,
      })
    },
  )

  it.each(except('Supabase'))('never retries an abort from %s', async name => {
    expect(await failureOf(name, `${base}/hang`, { signal: abortSoon() })).toMatchObject({
      kind: 'cancelled',
      retryable: false,
    })
  })

  it('never retries an abort from Supabase, which turns it into text', async () => {
    const failure = await failureOf('Supabase', `${base}/hang`, { signal: abortSoon() })
    expect(failure.retryable).toBe(false)
  })

  it('cannot retry a 503 from Supabase whose error is thrown without the status', async () => {
    const { error } = await selectOrders(`${base}/503`, {})
    expect(classifyFailure(error)).toMatchObject({ kind: 'unknown', retryable: false })
  })
})
