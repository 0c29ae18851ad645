import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defaultClientConditions } from 'vite'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { chromiumLaunchOptions } from './chromium.ts'

/** The shop in a real Chromium, against the real server. */
export async function shopProject(): Promise<TestProjectInlineConfiguration> {
  return {
    root: import.meta.dirname,
    plugins: [react()],
    resolve: { conditions: ['source', ...defaultClientConditions] },
    // Named here, so that none is discovered mid-test: that would reload the page.
    optimizeDeps: {
      include: [
        'react',
        'react-dom',
        'react-dom/client',
        'react/jsx-runtime',
        'react/jsx-dev-runtime',
        'react-router',
        '@tanstack/react-query',
        '@query-retry/core > is-network-error',
        'axe-core',
        'vitest-browser-react',
      ],
    },
    test: {
      name: 'shop',
      include: ['src/**/*.browser.test.tsx'],
      globalSetup: ['src/testing/real-servers.ts'],
      setupFiles: ['src/testing/before-each-test.ts'],
      testTimeout: 30_000,
      // A busy machine is late; the rules are about what the server saw, not about our speed.
      expect: { poll: { timeout: 15_000 } },
      // The faults of the one server are everybody's.
      fileParallelism: false,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({ launchOptions: await chromiumLaunchOptions() }),
        instances: [{ browser: 'chromium' }],
        viewport: { width: 1280, height: 900 },
      },
    },
  }
}
