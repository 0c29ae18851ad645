import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from './testing/test-database.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

let folder: string
let databaseUrl: string | undefined
let drop: () => Promise<void>
let child: ChildProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-api-'))
  const database = await createTestDatabase()
  databaseUrl = database.databaseUrl
  drop = database.drop
})
afterEach(() => {
  child?.kill('SIGKILL')
})
afterAll(async () => {
  await drop()
  await rm(folder, { recursive: true })
})

function startMain(env: Record<string, string>) {
  const started = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  const output = { stdout: '', stderr: '' }
  started.stdout.on('data', chunk => {
    output.stdout += chunk
  })
  started.stderr.on('data', chunk => {
    output.stderr += chunk
  })
  const ended = once(started, 'close').then(([exitCode]) => ({ exitCode, ...output }))
  return { process: started, output, ended }
}

describe('main', () => {
  it.each([
    ['PORT=abc', { PORT: 'abc' }, 2],
    ['DATABASE_URL=garbage', { DATABASE_URL: 'garbage' }, 2],
    [
      'DATABASE_URL=postgres://shop:***@127.0.0.1:1/shop',
      { PORT: '0', DATABASE_URL: 'postgres://shop:geheim@127.0.0.1:1/shop' },
      1,
    ],
  ])('%s: one line, no stack, exit code', async (named, env, expectedCode) => {
    const { exitCode, stderr } = await startMain(env).ended

    expect(exitCode).toBe(expectedCode)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr.startsWith(`${named} `)).toBe(true)
    expect(stderr).not.toContain('geheim')
  })

  it('a port in use: said before a database is created, exit code 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const dataDir = join(folder, 'never-created')

    const { exitCode, stderr } = await startMain({ PORT: `${port}`, DATA_DIR: dataDir }).ended

    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      `PORT=${port} is already in use on 127.0.0.1. Stop the process that has it or choose another, for example PORT=0 for any free one.\n`,
    )
    expect(await readdir(folder)).not.toContain('never-created')
    other.close()
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it with code 0 and frees the data folder, a hanging call or not',
    async signal => {
      const server = startMain({
        PORT: '0',
        FAULTS: '1',
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      })
      await expect
        .poll(() => server.output.stdout, { timeout: 60_000 })
        .toMatch(/answers at http:\/\/127\.0\.0\.1:\d+\n/)
      const url = /answers at (\S+)/.exec(server.output.stdout)?.[1]
      await fetch(`${url}/faults/cart`, { method: 'PUT', body: '{"kind":"hang"}' })
      const hanging = fetch(`${url}/cart`).catch(error => error)
      await expect
        .poll(async () => (await fetch(`${url}/faults/calls`)).text())
        .toContain('"answer":"hung"')

      server.process.kill(signal)

      const { exitCode, stderr } = await server.ended
      expect(exitCode).toBe(0)
      expect(stderr).toBe('')
      expect(await hanging).toBeInstanceOf(TypeError)
      expect(await readdir(folder)).not.toContain('checkout-api.lock')
    },
  )
})
