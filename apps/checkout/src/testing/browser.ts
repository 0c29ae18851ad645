import { inject } from 'vitest'
import { cdp } from 'vitest/browser'

/**
 * What the system asks for: light or dark, and stillness, since a browser that draws in software
 * spends both cores on animations.
 */
export async function setColours(scheme: 'light' | 'dark'): Promise<void> {
  await cdp().send('Emulation.setEmulatedMedia', {
    features: [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ],
  })
}

/**
 * Pulls the network cable between the browser and the shop's server, or plugs it in:
 * `navigator.onLine`, its events and every request follow.
 *
 * Only that cable: `Network.emulateNetworkConditions` would cut the test runner's own line as well.
 */
export async function setNetwork(state: 'connected' | 'cut'): Promise<void> {
  const isCut = state === 'cut'
  await cdp().send('Network.enable')
  await cdp().send('Network.setBlockedURLs', { urls: isCut ? [`${inject('apiUrl')}/*`] : [] })
  await cdp().send('Network.overrideNetworkState', {
    offline: isCut,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}
