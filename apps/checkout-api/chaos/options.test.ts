import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

const env = { TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres' }

describe('readOptions', () => {
  it('pays 1,000 orders on the server at TEST_DATABASE_URL, with a seed of its own', () => {
    const options = readOptions([], env)

    expect(options).toMatchObject({ orders: 1_000, teeth: false, serverUrl: env.TEST_DATABASE_URL })
    expect(options.variant).toBeUndefined()
    expect(options.seed).toBeGreaterThanOrEqual(0)
  })

  it('prefers DATABASE_URL', () => {
    const { serverUrl } = readOptions([], { ...env, DATABASE_URL: 'postgres://other/postgres' })

    expect(serverUrl).toBe('postgres://other/postgres')
  })

  it('takes a seed and a number of orders', () => {
    expect(readOptions(['--seed', '7', '--orders', '40'], env)).toMatchObject({
      seed: 7,
      orders: 40,
    })
  })

  it('gives a broken variant the number of orders that shows it', () => {
    const { orders } = readOptions(['--variant', 'no-epoch-check'], env)

    expect(orders).toBeLessThan(20)
  })

  it.each([
    [['--seed', 'x'], '--seed x: a whole number from 0 to 4294967295'],
    [['--seed', '4294967296'], '--seed 4294967296: a whole number from 0 to 4294967295'],
    [['--orders', '0'], '--orders 0: a whole number from 1 to 100000'],
    [['--orders', '1e3'], '--orders 1e3: a whole number from 1 to 100000'],
    [['--variant', 'x'], /^--variant x: one of no-epoch-check, /],
    [['--teeth', '--orders', '9'], '--teeth with --orders 9: runs every variant'],
    [['--tooth'], /^--tooth \(Unknown option '--tooth'\): --seed <number>, /],
  ])('%j is refused in one line', (args, message) => {
    expect(() => readOptions(args, env)).toThrow(message)
  })

  it('needs a PostgreSQL server, and says how to give one', () => {
    expect(() => readOptions([], {})).toThrow(
      /^DATABASE_URL is not set: a chaos run needs a PostgreSQL server .* for example DATABASE_URL=postgres:/,
    )
  })
})
