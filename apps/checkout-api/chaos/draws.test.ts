import { describe, expect, it } from 'vitest'
import { Draws } from './draws.ts'

const drawTen = (draws: Draws) => Array.from({ length: 10 }, () => draws.ratio())

describe('Draws', () => {
  it('draws the same for the same seed and path', () => {
    expect(drawTen(new Draws(7, 'order', 1))).toEqual(drawTen(new Draws(7, 'order', 1)))
  })

  it.each([
    ['seed', new Draws(8, 'order', 1)],
    ['path', new Draws(7, 'order', 2)],
  ])('draws something else for another %s', (_, other) => {
    expect(drawTen(other)).not.toEqual(drawTen(new Draws(7, 'order', 1)))
  })

  it('draws whole numbers with both ends among them', () => {
    const draws = new Draws(7)
    const drawn = new Set(Array.from({ length: 200 }, () => draws.between(3, 5)))

    expect([...drawn].sort()).toEqual([3, 4, 5])
  })

  it('shuffles without losing anything', () => {
    const cards = Array.from({ length: 30 }, (_, index) => index)
    const shuffled = new Draws(7).shuffle(cards)

    expect(shuffled).not.toEqual(cards)
    expect([...shuffled].sort((one, other) => one - other)).toEqual(cards)
  })
})
