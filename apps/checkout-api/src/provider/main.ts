import { runProgram } from '../run-program.ts'
import { startProvider } from './provider.ts'
import { readSettings } from './settings.ts'

await runProgram({
  readSettings,
  async start(settings) {
    const provider = await startProvider({ ...settings, log: line => console.log(line) })
    console.log(`The payment provider answers at ${provider.url}`)
    return provider
  },
})
