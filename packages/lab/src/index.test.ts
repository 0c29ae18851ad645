import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { build, type Rolldown } from 'vite'
import { expect, it } from 'vitest'

/** The entry in one script, as a Web Worker gets it. */
async function bundle(): Promise<Rolldown.OutputChunk> {
  const outputs = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['source', 'browser', 'import'] },
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL('index.ts', import.meta.url)),
        formats: ['iife'],
        name: 'lab',
      },
    },
  })
  const [{ output }] = outputs as [Rolldown.RolldownOutput]
  return output[0]
}

it('the library needs nothing but core and one small module: no Node, no document, no plots', {
  timeout: 60_000,
}, async () => {
  const { moduleIds, imports } = await bundle()
  const homes = moduleIds.map(id =>
    id.replace(/^.*\/(packages\/\w+\/src|node_modules\/(@[^/]+\/)?[^/]+)\/.*$/, '$1'),
  )
  const known = ['node_modules/tinyqueue', 'packages/core/src', 'packages/lab/src']
  expect([...new Set(homes)].sort()).toEqual(known)
  expect(moduleIds.filter(id => id.includes('/storm/'))).toEqual([])
  expect(imports).toEqual([])
})

it('simulates where there is nothing but the language', { timeout: 60_000 }, async () => {
  const { code } = await bundle()
  const herd = '{ clients: 4200, capacityPerSlot: 42, slotMs: 100, seed: 1'
  const run = `lab.COMPARED_POLICIES.filter(({ name }) => name === 'preset').map(({ policy, budget }) =>
    lab.simulateHerd(${herd}, policy, budget }).served)[0]`
  expect(runInNewContext(`${code};${run}`, {})).toBe(3_934)
})
