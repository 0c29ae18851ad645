import { describe, expect, it } from 'vitest'
import { runInLanes } from './lanes.ts'

describe('runInLanes', () => {
  it('works on so many items at a time, and on every item once', async () => {
    const done: number[] = []
    let atWork = 0
    let mostAtWork = 0

    await runInLanes(3, [1, 2, 3, 4, 5, 6, 7], async item => {
      atWork += 1
      mostAtWork = Math.max(mostAtWork, atWork)
      await Promise.resolve()
      atWork -= 1
      done.push(item)
    })

    expect(mostAtWork).toBe(3)
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('rejects as soon as one item does', async () => {
    const failing = runInLanes(2, [1, 2], async item => {
      if (item === 2) throw new Error('no')
    })

    await expect(failing).rejects.toThrow('no')
  })
})
