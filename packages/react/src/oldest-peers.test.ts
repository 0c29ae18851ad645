import { version } from 'react'
import { describe, expect, it } from 'vitest'

describe('the test project', () => {
  it.runIf(process.env.OLDEST_PEERS)('react-oldest runs on React 18', () => {
    expect(version).toMatch(/^18\./)
  })

  it.skipIf(process.env.OLDEST_PEERS)('react runs on React 19', () => {
    expect(version).toMatch(/^19\./)
  })
})
