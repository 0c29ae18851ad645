import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { shopProject } from './apps/checkout/vitest.project.ts'

/** The sources of workspace packages, without building them; also where a test has no window. */
const fromSource = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
}

/** Its files share a process (one for each worker): jsdom or PGlite are loaded once, and not for each. */
const oneProcess = { isolate: false }
const FRESH_MODULES = 'packages/react/src/testing-support/fresh-modules.ts'

/**
 * The one test configuration: a project for each kind of test.
 *
 * core   policy engine, in Node
 * lab    the herd simulator, in Node
 * react  preset, hooks and notice, in jsdom with msw at the network
 * react-oldest  the same against the oldest React and TanStack Query supported
 * types  what the compiler promises, checked by the compiler
 * api    the server against its real database, and the parts of both chaos runs
 * shop   the demo in a real Chromium against the real server
 */
export default defineConfig({
  test: {
    projects: [
      {
        ...fromSource,
        test: { name: 'core', environment: 'node', include: ['packages/core/src/**/*.test.ts'] },
      },
      {
        ...fromSource,
        test: { name: 'lab', environment: 'node', include: ['packages/lab/src/**/*.test.ts'] },
      },
      {
        ...fromSource,
        test: {
          name: 'react',
          ...oneProcess,
          environment: 'jsdom',
          setupFiles: FRESH_MODULES,
          include: ['packages/react/src/**/*.test.{ts,tsx}'],
        },
      },
      {
        ...fromSource,
        resolve: {
          ...fromSource.resolve,
          // This package has them installed together, so that each finds the right one of the others.
          alias: [
            {
              find: /^(react|react-dom|@tanstack\/react-query|@testing-library\/react)(?=\/|$)/,
              replacement: fileURLToPath(
                new URL('packages/react/oldest-peers/node_modules/$1', import.meta.url),
              ),
            },
          ],
        },
        test: {
          name: 'react-oldest',
          ...oneProcess,
          environment: 'jsdom',
          setupFiles: FRESH_MODULES,
          env: { OLDEST_PEERS: 'true' },
          include: ['packages/react/src/**/*.test.{ts,tsx}'],
        },
      },
      {
        ...fromSource,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/*/src/**/*.test-d.{ts,tsx}'],
            tsconfig: './tsconfig.json',
          },
        },
      },
      {
        ...fromSource,
        test: {
          name: 'api',
          ...oneProcess,
          environment: 'node',
          include: [
            'apps/checkout-api/{src,chaos}/**/*.test.ts',
            'apps/checkout/chaos/**/*.test.ts',
          ],
          // Creating an embedded database takes seconds, more where the machine is busy.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      shopProject,
    ],
  },
})
