import { startServer } from '../src/server.ts'
import { readSettings } from '../src/settings.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'

/** The real server with one mistake (`VARIANT`) put between its parts; otherwise as src/main.ts. */
const variant = BROKEN_VARIANTS[process.env.VARIANT ?? '']
if (!variant) throw new Error(`VARIANT=${process.env.VARIANT} is none of those there are`)

const { leaseMs, ...options } = readSettings(process.env)
const server = await startServer(
  { ...options, retention: { leaseMs }, log: line => console.log(line) },
  await variant.seams(),
)
console.log(`The broken server answers at ${server.url}`)
