import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { simulateHerd } from '../simulate-herd.ts'
import { FlagError } from './flags.ts'
import { explainImport, isPolicyModule, loadPolicyModule } from './policy-module.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'policy-module-'))
const HERD = { clients: 100, capacityPerSlot: 10, slotMs: 100, seed: 1 }
let files = 0

function moduleWith(code: string): string {
  const path = join(FOLDER, `policy-${++files}.mjs`)
  writeFileSync(path, code)
  return path
}

describe('isPolicyModule', () => {
  it.each(['./mine.js', 'mine.mjs', '../mine.ts', '/policies/mine', 'mine.cts', 'folder\\mine'])(
    'takes %s for a path',
    name => expect(isPolicyModule(name)).toBe(true),
  )

  it.each(['preset', 'retry-after-exact', 'js'])('takes %s for a name', name => {
    expect(isPolicyModule(name)).toBe(false)
  })
})

describe('loadPolicyModule', () => {
  it('loads a formula that can be simulated, under its path as its name', async () => {
    const path = moduleWith('export default { delayMs: () => 1_000 }')
    const { name, title, policy } = await loadPolicyModule(path)
    expect({ name, title }).toEqual({ name: path, title: `your own, from ${path}` })
    expect(simulateHerd({ ...HERD, policy }).allServedAtMs).toBe(10_000)
  })

  it('loads one of core’s policies, and keeps its settings', async () => {
    const core = import.meta.resolve('@query-retry/core')
    const path = moduleWith(
      `import { createRetryPolicy } from '${core}'; export default createRetryPolicy({ maxRetries: 0 })`,
    )
    const { policy } = await loadPolicyModule(path)
    expect(simulateHerd({ ...HERD, policy }).totalCalls).toBe(100)
  })

  it.each([
    {
      what: 'no default export',
      code: 'export const delayMs = () => 1',
      reason: 'no default export',
    },
    { what: 'a function', code: 'export default () => 1', reason: 'its default export is neither' },
    { what: 'null', code: 'export default null', reason: 'its default export is neither' },
    {
      what: 'a formula that is no function',
      code: 'export default { delayMs: 5 }',
      reason: 'is neither',
    },
    {
      what: 'a decide without options',
      code: 'export default { decide() {} }',
      reason: 'is neither',
    },
    {
      what: 'nonsense for retries',
      code: 'export default { delayMs: () => 1, maxRetries: -1 }',
      reason: 'maxRetries must be',
    },
    {
      what: 'a mistake in it',
      code: 'throw new Error("first line\\nsecond")',
      reason: '(first line)',
    },
  ])('refuses $what: flag, path, reason, and what is accepted', async ({ code, reason }) => {
    const path = moduleWith(code)
    const error = await loadPolicyModule(path).catch(thrown => thrown)
    expect(error).toBeInstanceOf(FlagError)
    expect(error.message).toMatch(
      /^--policy .* must be a module whose default export is one of core’s policies or \{ delayMs/,
    )
    expect(error.message).toContain(path)
    expect(error.message).toContain(reason)
  })

  it('refuses a file that is not there', async () => {
    await expect(loadPolicyModule('./nothing.js')).rejects.toThrow(
      '--policy ./nothing.js (no such file): must be a module',
    )
  })
})

describe('explainImport', () => {
  it('says that this Node.js takes no TypeScript, where that is why', () => {
    const error = Object.assign(new Error('Unknown'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })
    expect(explainImport('./mine.ts', error)).toBe(
      `Node.js ${process.versions.node} imports .js and .mjs only`,
    )
    expect(explainImport('./mine.js', error)).toBe('Unknown')
  })

  it('takes whatever a module throws', () => {
    expect(explainImport('./mine.js', undefined)).toBe('undefined')
  })
})
