import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHECKPOINTS } from '../idempotency/checkpoint.ts'
import { readCheckpointFault } from './checkpoint-fault.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('readCheckpointFault', () => {
  it.each(CHECKPOINTS)(
    'crash@%s ends the process there, and nothing after it runs',
    async point => {
      const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
      const reach = readCheckpointFault(`crash@${point}`)
      for (const other of CHECKPOINTS.filter(checkpoint => checkpoint !== point))
        await reach?.(other)
      expect(kill).not.toHaveBeenCalled()

      const goesOn = vi.fn()
      void Promise.resolve(reach?.(point)).then(goesOn)
      await vi.advanceTimersByTimeAsync(1_000_000)

      expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']])
      expect(goesOn).not.toHaveBeenCalled()
    },
  )

  it('freeze@started:1500 stands still there for 1,500 ms', async () => {
    const reach = readCheckpointFault('freeze@started:1500')
    await reach?.('claimed')

    const goesOn = vi.fn()
    void Promise.resolve(reach?.('started')).then(goesOn)
    await vi.advanceTimersByTimeAsync(1_499)
    expect(goesOn).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(goesOn).toHaveBeenCalled()
  })

  it.each([
    '',
    'crash',
    'crash@',
    'crash@nowhere',
    'crash@started:5',
    'freeze@started',
    'freeze@started:x',
    'freeze@started:600001',
    'freeze@nowhere:5',
    'explode@started',
    ' crash@started',
    'crash@started, crash@started',
  ])('does not read %j', header => {
    expect(readCheckpointFault(header)).toBeUndefined()
  })
})
