import { defineConfig } from 'vitest/config'

/**
 * The one test configuration: a project for each kind of test.
 *
 * core   policy engine, in Node
 * react  preset, hooks and notice, in jsdom with msw at the network
 * types  what the compiler promises, checked by the compiler
 * api    the server against its real database
 * shop   the demo in a real Chromium against the real server
 */
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { conditions: ['source'] },
        test: { name: 'core', environment: 'node', include: ['packages/core/src/**/*.test.ts'] },
      },
      {
        resolve: { conditions: ['source'] },
        test: {
          name: 'react',
          environment: 'jsdom',
          include: ['packages/react/src/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'api',
          environment: 'node',
          include: ['apps/checkout-api/src/**/*.test.ts'],
          // Creating an embedded database takes seconds, more where the machine is busy.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
