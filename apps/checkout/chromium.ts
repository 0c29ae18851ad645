import sparticuz from '@sparticuz/chromium'

/**
 * How to start the browser for tests: `CHROMIUM_PATH` where it is set, the Chromium inside an npm
 * package on Linux x64, and an installed Chrome elsewhere.
 */
export async function chromiumLaunchOptions() {
  const executablePath = process.env.CHROMIUM_PATH
  if (executablePath) return { executablePath }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' }
  return {
    executablePath: await sparticuz.executablePath(),
    args: sparticuz.args.filter(argument => !UNREAL.test(argument)),
  }
}

/**
 * That package is made for servers: it switches off the same-origin rules, under which a page may
 * read `Retry-After` only where the server exposes it, and runs everything in one process.
 */
const UNREAL = /^--(disable-web-security|allow-running-insecure-content|single-process)$/
