import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { DatabaseUnavailableError } from './database.ts'
import { connectPostgres } from './postgres.ts'

/** A message of PostgreSQL's protocol: its type, its length, and what it says. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const WELCOME = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const GOODBYE = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))

describe('connectPostgres', () => {
  it('lives on where a connection is ended in the same breath in which it was made', async () => {
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      // One write: the driver reads both before anybody who waits for the connection can run.
      socket.once('data', () => socket.end(Buffer.concat([WELCOME, READY, GOODBYE])))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const database = connectPostgres(`postgres://shop@127.0.0.1:${port}/shop`, () => undefined)

    await expect(database.transaction(session => session.query('SELECT 1'))).rejects.toThrow(
      DatabaseUnavailableError,
    )

    await database.close()
    server.close()
  })
})
