import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

describe('readSettings', () => {
  it('takes 127.0.0.1:8788, a folder of its own and 24 hours where nothing is said', () => {
    expect(readSettings({ PORT: '', KEY_RETENTION_HOURS: '' })).toEqual({
      port: 8788,
      host: '127.0.0.1',
      dataDir: expect.stringMatching(/checkout-api.\.data.provider$/),
      keyRetentionMs: 86_400_000,
    })
  })

  it('reads what is said', () => {
    const env = { PORT: '0', HOST: '::1', DATA_DIR: '/ledger', KEY_RETENTION_HOURS: '0.5' }
    expect(readSettings(env)).toEqual({
      port: 0,
      host: '::1',
      dataDir: '/ledger',
      keyRetentionMs: 1_800_000,
    })
  })

  it.each([
    ['PORT', 'abc'],
    ['KEY_RETENTION_HOURS', '0'],
    ['KEY_RETENTION_HOURS', '-1'],
    ['KEY_RETENTION_HOURS', '24h'],
    ['KEY_RETENTION_HOURS', '1e3'],
    ['KEY_RETENTION_HOURS', 'Infinity'],
    ['KEY_RETENTION_HOURS', '8761'],
  ])('refuses %s=%s in one line that names both and a fix', (setting, value) => {
    expect(() => readSettings({ [setting]: value })).toThrow(
      expect.objectContaining({ code: 'setting', setting, value }),
    )
    expect(() => readSettings({ [setting]: value })).toThrow(
      new RegExp(`^${setting}=${value}[^\\n]*\\. Give [^\\n]*\\.$`),
    )
  })
})
