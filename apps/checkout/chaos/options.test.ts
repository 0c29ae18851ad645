import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

const env = { TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres' }

describe('readOptions', () => {
  it('checks out 500 times on the server at TEST_DATABASE_URL, with a seed of its own', () => {
    const options = readOptions([], env)

    expect(options).toMatchObject({
      checkouts: 500,
      teeth: false,
      serverUrl: env.TEST_DATABASE_URL,
    })
    expect(options.client).toBeUndefined()
    expect(options.seed).toBeGreaterThanOrEqual(0)
  })

  it('takes a seed and a number of checkouts', () => {
    const options = readOptions(['--seed', '7', '--checkouts', '40'], env)

    expect(options).toMatchObject({ seed: 7, checkouts: 40 })
  })

  it('gives a broken client the number of checkouts that shows it', () => {
    expect(readOptions(['--client', 'asks-nobody'], env).checkouts).toBeLessThan(20)
  })

  it.each([
    [['--seed', 'x'], '--seed x: a whole number from 0 to 4294967295'],
    [['--checkouts', '0'], '--checkouts 0: a whole number from 1 to 10000'],
    [['--checkouts', '1e3'], '--checkouts 1e3: a whole number from 1 to 10000'],
    [['--client', 'toString'], /^--client toString: one of forgets-on-reload, /],
    [['--teeth', '--checkouts', '9'], '--teeth with --checkouts 9: runs every client'],
    [['--unguarded', '--teeth'], "--unguarded with --teeth: runs the shop's own client alone"],
    [['--tooth'], /^--tooth \(Unknown option '--tooth'\): --seed <number>, /],
  ])('%j is refused in one line', (args, message) => {
    expect(() => readOptions(args, env)).toThrow(message)
  })

  it('needs a PostgreSQL server, and says how to give one', () => {
    expect(() => readOptions([], {})).toThrow(
      /^DATABASE_URL is not set: .* for example DATABASE_URL=postgres:/,
    )
  })
})
