import { vi } from 'vitest'

/**
 * All test files run in one process and one jsdom, since starting those took longer than the tests. Each
 * file gets modules of its own all the same (what has been warned of, whose journal it is, who listens), and
 * nothing that the one before has put in the place of something else.
 */
vi.resetModules()
vi.restoreAllMocks()
vi.unstubAllEnvs()
vi.unstubAllGlobals()
vi.useRealTimers()
globalThis.localStorage?.clear()
globalThis.document?.body.replaceChildren()
