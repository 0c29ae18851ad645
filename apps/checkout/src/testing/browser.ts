import { cdp } from 'vitest/browser'

/** What the system asks for: light or dark. */
export async function setColours(scheme: 'light' | 'dark'): Promise<void> {
  await cdp().send('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: scheme }],
  })
}

/** Pulls the network cable, or plugs it in: `navigator.onLine`, its events and every request follow. */
export async function setNetwork(state: 'connected' | 'cut'): Promise<void> {
  await cdp().send('Network.enable')
  await cdp().send('Network.emulateNetworkConditions', {
    offline: state === 'cut',
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}
