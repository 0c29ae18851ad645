import { describe, expect, it } from 'vitest'
import type { HerdResult } from '../herd-result.ts'
import { labelRetries } from './chart-labels.ts'

function labelsOf(retriesPerSlot: number[], apartMs = 0) {
  const peakRetriesPerSlot = Math.max(...retriesPerSlot)
  const result = { slotMs: 100, retriesPerSlot, peakRetriesPerSlot } as HerdResult
  return labelRetries(result, retriesPerSlot.length * 100, apartMs)
}

describe('labelRetries', () => {
  it('names every tooth, in its middle', () => {
    const labels = labelsOf([0, 4_158, 0, 4_116])
    expect(labels).toEqual([
      { atMs: 150, calls: 4_158, text: '4,158', anchor: 'middle' },
      { atMs: 350, calls: 4_116, text: '4,116', anchor: 'middle' },
    ])
  })

  it('leaves out the lower of two that would cover each other', () => {
    expect(labelsOf([0, 40, 0, 50], 201).map(({ text }) => text)).toEqual(['50'])
  })

  it('keeps clear of the axis', () => {
    const anchors = labelsOf([0, 50, 0, 0, 0, 0, 40], 400).map(({ anchor }) => anchor)
    expect(anchors).toEqual(['start', 'middle'])
  })

  it.each([
    { where: 'left', retries: [0, 20, 18, 15, 12], anchor: 'start' },
    { where: 'right', retries: [12, 15, 18, 20], anchor: 'end' },
  ])('names the peak of a spread on the $where towards the middle', ({ retries, anchor }) => {
    expect(labelsOf(retries)).toMatchObject([{ text: 'at most 20', anchor }])
  })

  it('has nothing to say where nobody retries', () => {
    expect(labelsOf([0])).toEqual([])
  })
})
