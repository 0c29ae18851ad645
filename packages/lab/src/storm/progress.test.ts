import { describe, expect, it } from 'vitest'
import { createProgress } from './progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  const progress = createProgress(stream, () => nowMs)
  const reportAt = (atMs: number, done: number) => {
    nowMs = atMs
    progress.report('preset', done, 100)
  }
  return { written, reportAt, clear: progress.clear }
}

describe('createProgress', () => {
  it('draws a bar after 200 ms and wipes it at the end', () => {
    const { written, reportAt, clear } = terminal(true)
    for (const [atMs, done] of [
      [199, 1],
      [200, 50],
      [399, 60],
      [400, 99],
    ] as const)
      reportAt(atMs, done)
    clear()
    expect(written).toEqual([
      expect.stringContaining('░ 50 % of the clients done: preset'),
      expect.stringContaining('█ 99 %'),
      '\r\x1b[K',
    ])
  })

  it('writes nothing in a short run, and nothing where there is no terminal', () => {
    const short = terminal(true)
    short.reportAt(10, 100)
    short.clear()
    const piped = terminal(false)
    piped.reportAt(5_000, 50)
    piped.clear()
    expect([...short.written, ...piped.written]).toEqual([])
  })
})
