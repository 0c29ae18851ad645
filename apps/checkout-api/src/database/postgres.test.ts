import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDatabaseOn } from '../testing/test-database.ts'
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

// Only a real server can be told to say these.
describe.runIf(process.env.TEST_DATABASE_URL)('a PostgreSQL server that will not serve now', () => {
  async function openOwnDatabase() {
    const { url, drop } = await createDatabaseOn(process.env.TEST_DATABASE_URL ?? '')
    onTestFinished(drop)
    const database = connectPostgres(url, () => undefined)
    onTestFinished(() => database.close())
    await database.script('CREATE TABLE things (id integer)')
    return { database, name: new URL(url).pathname.slice(1) }
  }

  it.each([
    ['only reads, as one that was demoted', 'default_transaction_read_only = on'],
    ['ends what takes too long', "statement_timeout = '1ms'"],
  ])('%s: DatabaseUnavailableError', async (_, setting) => {
    const { database, name } = await openOwnDatabase()
    await database.script(`ALTER DATABASE ${name} SET ${setting}`)
    await endOtherConnections(name)

    await expect(
      database.query('INSERT INTO things SELECT 1 FROM pg_sleep(0.1)'),
    ).rejects.toBeInstanceOf(DatabaseUnavailableError)
  })

  it('ends a transaction that does nothing for 5 seconds, so that its locks are free', async () => {
    const { database } = await openOwnDatabase()

    expect(await database.query('SHOW idle_in_transaction_session_timeout')).toEqual([
      { idle_in_transaction_session_timeout: '5s' },
    ])
  })

  it('lets nobody in: DatabaseUnavailableError', async () => {
    const { database, name } = await openOwnDatabase()
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await endOtherConnections(name)

    await expect(database.query('SELECT 1')).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  })

  const endOtherConnections = (name: string) =>
    administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)

  async function administer(statement: string): Promise<void> {
    const server = connectPostgres(process.env.TEST_DATABASE_URL ?? '', () => undefined)
    await server.script(statement)
    await server.close()
  }
})
