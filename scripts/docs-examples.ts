/**
 * Runs what the documentation shows: every `@example` of the packages and every TypeScript block of the
 * READMEs, compiled and executed, with each `expression // => value` as an assertion.
 *
 *   pnpm check:examples
 *
 * A component, or an `@example` that returns JSX and so is the body of one, is rendered to text once.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface Example {
  /** Where it stands: file and, for a docstring, its line. */
  source: string
  code: string
}

/** Inside the package that has everything an example may import. */
const FOLDER = 'packages/react/.docs-examples'
const ENTRIES = {
  '@query-retry/core': 'packages/core/src/index.ts',
  '@query-retry/core/testing': 'packages/core/src/testing/index.ts',
  '@query-retry/react': 'packages/react/src/index.ts',
  '@query-retry/react/testing': 'packages/react/src/testing/index.ts',
}

const examples = [
  ...sourceFiles('packages').flatMap(docstringExamples),
  ...['README.md', 'packages/core/README.md', 'packages/react/README.md'].flatMap(readmeExamples),
]
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
examples.forEach((example, index) => {
  writeFileSync(join(FOLDER, `example-${index + 1}.test.tsx`), asTest(example))
})
writeFileSync(
  join(FOLDER, 'tsconfig.json'),
  JSON.stringify({
    extends: resolve('tsconfig.json'),
    compilerOptions: { noUnusedLocals: false, types: ['node'] },
    include: ['*.tsx'],
  }),
)
writeFileSync(
  join(FOLDER, 'vitest.config.ts'),
  `export default { resolve: { conditions: ['source'] }, test: { name: 'examples', root: ${JSON.stringify(resolve(FOLDER))}, environment: 'jsdom' } }`,
)
console.log(`${examples.length} examples`)
run('tsc', '--noEmit', '--project', join(FOLDER, 'tsconfig.json'))
run('vitest', 'run', '--config', join(FOLDER, 'vitest.config.ts'))

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(1)
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(name => /[\\/]src[\\/]/.test(name) && /\.tsx?$/.test(name))
    .filter(name => !/node_modules|\.test(-d)?\.tsx?$/.test(name))
    .sort()
}

/** The code after each `@example` of each docstring, up to the next tag. */
function docstringExamples(source: string): Example[] {
  const text = readFileSync(source, 'utf8')
  return [...text.matchAll(/\/\*\*.*?\*\//gs)].flatMap(comment => {
    const line = text.slice(0, comment.index).split('\n').length
    const lines = comment[0]
      .slice(0, -2)
      .split('\n')
      .map(row => row.replace(/^\s*(\/\*\*|\*) ?/, ''))
    return lines
      .join('\n')
      .split(/^@/m)
      .filter(tag => /^example\s/.test(tag))
      .map(tag => ({ source: `${source}:${line}`, code: tag.replace(/^example\s/, '') }))
  })
}

function readmeExamples(source: string): Example[] {
  const text = readFileSync(source, 'utf8')
  return [...text.matchAll(/^```tsx?\n(.*?)^```/gms)].map(block => {
    const line = text.slice(0, block.index).split('\n').length
    return { source: `${source}:${line}`, code: block[1] as string }
  })
}

/** Imports that the example leaves out, since its docstring stands beside the export, are added. */
function asTest({ source, code }: Example): string {
  const isOwn = (name: string) =>
    new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`import[^;]*\\b${name}\\b`).test(code)
  const seen = new Set<string>()
  const imports = Object.entries(ENTRIES).map(([entry, file]) => {
    const names = exportedValues(file).filter(name => isOwn(name) && !seen.has(name))
    for (const name of names) seen.add(name)
    return names.length > 0 ? `import { ${names.join(', ')} } from '${entry}'` : ''
  })
  const hosts = ['QueryClient', 'useQuery'].filter(isOwn)
  if (hosts.length > 0) imports.push(`import { ${hosts.join(', ')} } from '@tanstack/react-query'`)
  const ownImports = code.match(/^import .*\n/gm) ?? []
  const body = withAssertions(code.replace(/^import .*\n/gm, ''))
  const component = /^export function ([A-Z]\w*)\(\)/m.exec(body)?.[1]
  const isComponentBody = !component && /^\s*(if .*)?return .*</m.test(body)
  const render = (name: string) =>
    `renderToString(<host.QueryClientProvider client={new host.QueryClient()}><${name} /></host.QueryClientProvider>)`
  return [
    `import { expect, test } from 'vitest'`,
    `import { renderToString } from 'react-dom/server'`,
    `import * as host from '@tanstack/react-query'`,
    ...imports,
    ...ownImports,
    ...(component ? [body] : []),
    ...(isComponentBody ? [`function Example() {\n${body}\nreturn null\n}`] : []),
    `test(${JSON.stringify(source)}, async () => {`,
    component || isComponentBody ? render(component ?? 'Example') : body,
    `})`,
    '',
  ].join('\n')
}

function exportedValues(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/^export \{(.*?)\}/gms)]
  return lists
    .flatMap(([, names]) => (names as string).split(','))
    .map(name => name.trim())
    .filter(name => name !== '' && !name.startsWith('type '))
}

/** `expression // => value`: objects may have more properties than are shown. */
function withAssertions(code: string): string {
  return code.replace(/^(.*?)\s*\/\/ => (.*)$/gm, (_, expression: string, value: string) => {
    const matcher = value.startsWith('{') ? 'toMatchObject' : 'toEqual'
    return `expect(${expression.trim()}).${matcher}(${value})`
  })
}
