import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startChild } from './child-process.ts'

/** Starts the provider from another folder than ours, says its process id and stays. */
const PARENT = `
  import { startChild } from ${JSON.stringify(new URL('./child-process.ts', import.meta.url).href)}
  const child = startChild(new URL(${JSON.stringify(new URL('./provider/main.ts', import.meta.url).href)}), { DATA_DIR: process.env.DATA_DIR })
  await child.url
  console.log(child.process.pid)
  setInterval(() => undefined, 1_000)
`

it('a child ends with whoever started it, also where that was killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-api-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'parent.mts'), PARENT)
  const parent = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(folder, 'parent.mts')],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number(printed)
  expect(isAlive(pid)).toBe(true)

  parent.kill('SIGKILL')

  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
})

it('a child that cannot start ends, and says why', async () => {
  const child = startChild(new URL('./provider/main.ts', import.meta.url), {
    DATA_DIR: '/dev/null',
  })

  expect(await child.ended).toMatchObject({
    code: 1,
    lastWords: expect.stringContaining('DATA_DIR=/dev/null'),
  })
  await expect(child.url).rejects.toThrow('DATA_DIR=/dev/null')
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
