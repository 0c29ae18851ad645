import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookUp, readLedger, sendCharge } from './testing/send-charge.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

let folder: string
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

function startMain(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr.on('data', chunk => {
    output.stderr += chunk
  })
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...output }))
  return {
    process: child,
    output,
    ended,
    async url(): Promise<string> {
      await expect
        .poll(() => output.stdout, { timeout: 30_000 })
        .toMatch(/^The payment provider answers at http:\/\/127\.0\.0\.1:\d+$/m)
      return /answers at (\S+)/.exec(output.stdout)?.[1] ?? ''
    },
  }
}

describe('main', () => {
  it('keeps every charge that was answered over SIGKILL, and repeats it byte for byte', async () => {
    const first = startMain({ PORT: '0' })
    const url = await first.url()
    const captured = await (await sendCharge(url, 'captured')).text()
    const declined = await (
      await sendCharge(url, 'declined', { paymentMethod: 'card_declined' })
    ).text()
    // A burst that is under way when the process dies: what was answered has to be there.
    const answered: string[] = []
    const burst = Array.from({ length: 200 }, async (_, index) => {
      const response = await sendCharge(url, `burst-${index}`, { reference: `burst-${index}` })
      answered.push(await response.text())
      if (answered.length === 20) first.process.kill('SIGKILL')
    })
    await Promise.allSettled(burst)
    await first.ended
    await appendFile(join(folder, 'ledger.jsonl'), '{"key":"torn')

    const second = startMain({ PORT: '0' })
    const again = await second.url()

    const repeat = await sendCharge(again, 'captured')
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(await repeat.text()).toBe(captured)
    expect((await sendCharge(again, 'captured', { amount: 1 })).status).toBe(422)
    expect(await (await lookUp(again, 'declined')).text()).toBe(declined)
    const kept = new Set((await readLedger(again)).map(charge => JSON.stringify(charge)))
    expect(answered.length).toBeGreaterThanOrEqual(20)
    expect(answered.filter(charge => !kept.has(charge))).toEqual([])
    expect(second.output.stdout).toContain('ledger.jsonl: dropped a last line')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it with code 0 and frees the folder, a slow answer or not',
    async signal => {
      const provider = startMain({ PORT: '0' })
      const url = await provider.url()
      await fetch(`${url}/faults`, { method: 'POST', body: '{"kind":"slow","delayMs":600000}' })
      const slow = sendCharge(url, 'slow')
      await expect.poll(async () => (await lookUp(url, 'slow')).status).toBe(200)

      provider.process.kill(signal)

      const { exitCode, stderr } = await provider.ended
      expect(exitCode).toBe(0)
      expect(stderr).toBe('')
      expect((await slow).status).toBe(201)
      expect(await readdir(folder)).toEqual(['ledger.jsonl'])
    },
  )

  it.each([
    ['PORT=abc', { PORT: 'abc' }],
    ['KEY_RETENTION_HOURS=soon', { KEY_RETENTION_HOURS: 'soon' }],
  ])('%s: one line, no stack, exit code 2', async (named, env) => {
    const { exitCode, stderr } = await startMain(env).ended

    expect(exitCode).toBe(2)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr.startsWith(`${named} `)).toBe(true)
  })

  it('a port in use: one line, exit code 1, and the folder is free again', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    const { exitCode, stderr } = await startMain({ PORT: `${port}` }).ended

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(new RegExp(`^PORT=${port} is already in use [^\\n]*\\n$`))
    expect(await readdir(folder)).not.toContain('checkout-api.lock')
    other.close()
  })

  it('a folder that another process has: one line that names it, exit code 1', async () => {
    const holder = startMain({ PORT: '0' })
    await holder.url()

    const { exitCode, stderr } = await startMain({ PORT: '0' }).ended

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`^DATA_DIR=${folder} is in use by process ${holder.process.pid}\\.[^\\n]*\\n$`),
    )
  })

  it('a ledger with a line that is no charge: one line that names file and line, exit code 1', async () => {
    await appendFile(join(folder, 'ledger.jsonl'), 'garbage\n')

    const { exitCode, stderr } = await startMain({ PORT: '0' }).ended

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^DATA_DIR=[^\n]*ledger\.jsonl:1\)[^\n]*\n$/)
  })
})
