import { runProgram } from './run-program.ts'
import { startServer } from './server.ts'
import { readSettings } from './settings.ts'

await runProgram({
  readSettings,
  async start({ leaseMs, ...options }) {
    const server = await startServer({
      ...options,
      retention: { leaseMs },
      log: line => console.log(line),
    })
    console.log(`The shop's server answers at ${server.url}`)
    if (options.faults) console.log(`Fault switches are on: ${server.url}/faults`)
    return server
  },
})
