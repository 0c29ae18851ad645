import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as core from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import * as lab from './index.ts'
import { formatTable } from './storm/report.ts'
import { readStormOptions } from './storm/storm-options.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe('README', () => {
  it('shows what its command prints', async () => {
    const [, line = '', table] = /^```\n\$ pnpm storm (.*)\n([\s\S]*?)^```/m.exec(README) ?? []
    const { policies, herd } = await readStormOptions(line.split(' '))
    const results = policies.map(({ name, policy, budget }) => ({
      policy: name,
      ...lab.simulateHerd({ ...herd, policy, budget }),
    }))
    expect(table).toBe(formatTable(results))
  })

  it('shows a policy of one’s own that can be simulated', async () => {
    const [, module = ''] = /^```js\n([\s\S]*?)^```/m.exec(README) ?? []
    const file = join(mkdtempSync(join(tmpdir(), 'readme-')), 'mine.mjs')
    writeFileSync(file, module)
    const { policies, herd } = await readStormOptions(['--policy', file])
    const results = policies.map(({ policy }) => lab.simulateHerd({ ...herd, policy }))
    expect(results).toMatchObject([{ served: 4_200 }])
  })

  it('is right about every value that its example shows', () => {
    const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(README) ?? []
    const body = example
      .replace(/^import .*\n/gm, '')
      .replace(/^(.*) \/\/ => (.*)$/gm, 'expect($1).toEqual($2)')
    expect.assertions(4)
    new Function('expect', ...Object.keys({ ...core, ...lab }), body)(
      expect,
      ...Object.values({ ...core, ...lab }),
    )
  })
})
