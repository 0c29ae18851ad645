import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen } from './listen.ts'

/** Longer than any test may take: a close that waits for it fails. */
const FOR_EVER_MS = 2 ** 31 - 1
const address = { port: 0, host: '127.0.0.1', keepAlive: true }

describe('Listener.close', () => {
  it('does not wait for a connection that never asked for anything', async () => {
    const answer = () => new Response('ok')
    const listener = await listen({ ...address, closeGraceMs: FOR_EVER_MS, answer })
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
    await once(socket, 'connect')
    // The server knows of a connection once it has answered a later one.
    await (await fetch(listener.url)).text()

    await listener.close()

    socket.destroy()
  })

  it('lets an answer that is under way arrive', async () => {
    let finish: (response: Response) => void = () => undefined
    let begin: () => void = () => undefined
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const answer = () =>
      new Promise<Response>(resolve => {
        finish = resolve
        begin()
      })
    const listener = await listen({ ...address, closeGraceMs: FOR_EVER_MS, answer })
    const asking = fetch(listener.url)
    await begun

    const closing = listener.close()
    finish(new Response('ok'))

    expect(await (await asking).text()).toBe('ok')
    await closing
  })

  it('cuts an answer that takes longer than closeGraceMs', async () => {
    let begin: () => void = () => undefined
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const answer = () => {
      begin()
      return new Promise<Response>(() => undefined)
    }
    const listener = await listen({ ...address, closeGraceMs: 10, answer })
    const asking = fetch(listener.url).catch(error => error)
    await begun

    await listener.close()

    expect(await asking).toBeInstanceOf(TypeError)
  })
})
