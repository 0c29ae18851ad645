import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RetryOptionError } from '@query-retry/core'
import { type HerdPolicy, seededPolicy } from '../delay-policy.ts'
import type { ComparedPolicy } from '../policies/compared-policy.ts'
import { FlagError } from './flags.ts'

const ACCEPTED =
  'a module whose default export is one of core’s policies or { delayMs(retryIndex, random): number, maxRetries?: number }'

/** Whether a `--policy` is a file, and not a name: it has a slash, or ends as modules do. */
export function isPolicyModule(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s$/.test(name)
}

/**
 * Loads a policy of the user's own.
 *
 * @param path - of a JavaScript module, or of a TypeScript module where Node.js can import these
 * @throws {FlagError} naming the flag, the path, what is wrong with it and what is accepted
 */
export async function loadPolicyModule(path: string): Promise<ComparedPolicy> {
  const refuse = (reason: string) => new FlagError('--policy', `${path} (${reason})`, ACCEPTED)
  const file = resolve(path)
  if (!existsSync(file)) throw refuse('no such file')
  const { href } = pathToFileURL(file)
  const module = await import(href).catch((error: unknown) => {
    throw refuse(explainImport(path, error))
  })
  const policy: unknown = module.default
  if (!isPolicy(policy)) {
    const found = policy === undefined ? 'no default export' : 'its default export is neither'
    throw refuse(found)
  }
  try {
    seededPolicy(policy, Math.random)
  } catch (error) {
    if (!(error instanceof RetryOptionError)) throw error
    throw refuse(error.message)
  }
  return { name: path, title: `your own, from ${path}`, source: href, policy }
}

function isPolicy(value: unknown): value is HerdPolicy {
  const { decide, options, delayMs } = Object(value) as Record<string, unknown>
  if (decide !== undefined) return typeof decide === 'function' && Object(options) === options
  return typeof delayMs === 'function'
}

/** Why a module cannot be imported, in a line. */
export function explainImport(path: string, error: unknown): string {
  const { code, message } = Object(error) as { code?: string; message?: string }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(path)) {
    return `Node.js ${process.versions.node} imports .js and .mjs only`
  }
  return `${message ?? error}`.split('\n')[0] as string
}
