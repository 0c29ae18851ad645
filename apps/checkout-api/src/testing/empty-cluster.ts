import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = new URL('../../node_modules/.cache/checkout-api/', import.meta.url)
// `import.meta.resolve` is missing where Vitest's global set-up runs.
const PGLITE = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

/**
 * An embedded database as it is right after its creation, without a table of ours: loading it takes
 * a fraction of creating it.
 *
 * Created once for each version of PGlite and kept under `node_modules/.cache`, not once for each
 * run: most runs are of one file, and would gain nothing. Not compressed, because unpacking would
 * cost half of what is gained. Delete that folder if it ever holds a wrong one.
 */
export async function loadEmptyCluster(): Promise<Blob> {
  const { version } = JSON.parse(await readFile(join(PGLITE, '../package.json'), 'utf8')) as {
    version: string
  }
  const path = fileURLToPath(new URL(`pglite-${version}.tar`, CACHE))
  const tarball = await readFile(path).catch(() => createEmptyCluster(path))
  return new Blob([new Uint8Array(tarball)], { type: 'application/x-tar' })
}

async function createEmptyCluster(path: string): Promise<Buffer> {
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create()
  const dump = await pglite.dumpDataDir('none')
  await pglite.close()
  const tarball = Buffer.from(await dump.arrayBuffer())
  await mkdir(CACHE, { recursive: true })
  // Written aside and moved into place: other test files look for it at the same time.
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, tarball)
  await rename(draft, path)
  return tarball
}
