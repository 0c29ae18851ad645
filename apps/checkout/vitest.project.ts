import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defaultClientConditions } from 'vite'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { chromiumLaunchOptions } from './chromium.ts'
import { PLAIN_HOST, sandboxedPages, windowCommands } from './src/testing/window-commands.ts'

/** The shop in a real Chromium, against the real server. */
export async function shopProject(): Promise<TestProjectInlineConfiguration> {
  const launchOptions = await chromiumLaunchOptions()
  const plainHost = `--host-resolver-rules=MAP ${PLAIN_HOST} localhost`
  return {
    root: import.meta.dirname,
    plugins: [react(), sandboxedPages()],
    resolve: { conditions: ['source', ...defaultClientConditions] },
    server: { allowedHosts: [PLAIN_HOST] },
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
        '@query-retry/lab > tinyqueue',
        'd3-scale',
        'd3-shape',
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
      browser: {
        // The faults of the one server are everybody's. Said here, the files run beside those of other
        // projects; said above, after them.
        fileParallelism: false,
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({
          launchOptions: { ...launchOptions, args: [...(launchOptions.args ?? []), plainHost] },
        }),
        commands: windowCommands,
        instances: [{ browser: 'chromium' }],
        viewport: { width: 1280, height: 900 },
      },
    },
  }
}
