import { vi } from 'vitest'

/**
 * All test files run in one process and one jsdom, since starting those took longer than the tests. Each
 * file gets modules of its own all the same: what has been warned of, whose journal it is, who listens.
 */
vi.resetModules()
globalThis.localStorage?.clear()
globalThis.document?.body.replaceChildren()
