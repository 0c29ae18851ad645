import { readFileSync } from 'node:fs'
import * as core from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import * as lab from './index.ts'
import { formatTable } from './storm/report.ts'
import { readStormOptions } from './storm/storm-options.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe('README', () => {
  it('shows what its command prints', () => {
    const [, line = '', table] = /^```\n\$ pnpm storm (.*)\n([\s\S]*?)^```/m.exec(README) ?? []
    const { policies, herd } = readStormOptions(line.split(' '))
    const results = policies.map(({ name, policy, budget }) => ({
      policy: name,
      ...lab.simulateHerd({ ...herd, policy, budget }),
    }))
    expect(table).toBe(formatTable(results))
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
