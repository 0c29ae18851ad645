import { describe, expect, it } from 'vitest'
import { redactPassword } from './database/redact-password.ts'
import { readSettings } from './settings.ts'

describe('readSettings', () => {
  it('takes 127.0.0.1:8787, the embedded database and no faults where nothing is said', () => {
    expect(readSettings({ PORT: '', FAULTS: '' })).toEqual({
      port: 8787,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: expect.stringMatching(/checkout-api.\.data$/),
      faults: false,
      allowedOrigins: undefined,
      providerUrl: 'http://127.0.0.1:8788',
      providerTimeoutMs: 10_000,
      leaseMs: 30_000,
      completeEveryMs: 2_000,
    })
  })

  it('reads what is said', () => {
    const env = {
      PORT: '0',
      DATABASE_URL: 'postgresql:///shop?host=/run/postgresql',
      FAULTS: '1',
      ALLOWED_ORIGIN: 'https://shop.example, http://localhost:5173',
      PROVIDER_URL: 'https://psp.example/',
      LEASE_MS: '1500',
    }
    expect(readSettings(env)).toMatchObject({
      port: 0,
      databaseUrl: 'postgresql:///shop?host=/run/postgresql',
      faults: true,
      allowedOrigins: ['https://shop.example', 'http://localhost:5173'],
      providerUrl: 'https://psp.example',
      leaseMs: 1500,
    })
  })

  it.each([
    ['PORT', 'abc'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', ' 80'],
    ['PORT', '0x50'],
    ['DATABASE_URL', 'garbage'],
    ['DATABASE_URL', 'mysql://localhost/shop'],
    ['FAULTS', 'yes'],
    ['ALLOWED_ORIGIN', 'localhost:5173'],
    ['ALLOWED_ORIGIN', 'http://localhost:5173/'],
    ['PROVIDER_URL', 'localhost:8788'],
    ['PROVIDER_URL', 'ftp://localhost'],
    ['PROVIDER_URL', 'http://localhost:8788/charges'],
    ['PROVIDER_TIMEOUT_MS', '0'],
    ['LEASE_MS', '1.5'],
    ['COMPLETE_EVERY_MS', '3600001'],
  ])('refuses %s=%s in one line that names both and a fix', (setting, value) => {
    expect(() => readSettings({ [setting]: value })).toThrow(
      expect.objectContaining({ code: 'setting', setting, value }),
    )
    expect(() => readSettings({ [setting]: value })).toThrow(
      new RegExp(`^${setting}=${value}[^\\n]*\\. Give [^\\n]*\\.$`),
    )
  })

  it('never repeats a password', () => {
    expect(() => readSettings({ DATABASE_URL: 'shop:geheim@localhost' })).toThrow(
      /^DATABASE_URL=shop:\*\*\*@localhost /,
    )
  })
})

describe('redactPassword', () => {
  it.each([
    ['postgres://shop:geheim@db:5432/shop', 'postgres://shop:***@db:5432/shop'],
    ['postgres://shop:ge@heim@db/shop', 'postgres://shop:***@db/shop'],
    ['postgres://shop:ge/heim@db/shop', 'postgres://shop:***@db/shop'],
    ['postgres://shop@db:5432/shop', 'postgres://shop@db:5432/shop'],
    [
      'postgres:///shop?user=a&password=geheim&host=b',
      'postgres:///shop?user=a&password=***&host=b',
    ],
    ['shop:geheim@db', 'shop:***@db'],
  ])('%s becomes %s', (address, expected) => {
    expect(redactPassword(address)).toBe(expected)
  })
})
