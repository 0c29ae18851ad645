import type { RetryPresetOptions } from '@query-retry/react'

/** The shipped number of attempts with short waits, for tests that are not about the waits. */
export const fastRetries: RetryPresetOptions = { baseMs: 80, capMs: 160, floorMs: 40 }

/** Waits long enough to act in, and always the same. */
export const longWaits: RetryPresetOptions = { baseMs: 20_000, capMs: 20_000, jitter: 'none' }

/** The shipped waits, each at the far end of its window. */
export const unluckyDraws: RetryPresetOptions = { random: () => 0.999 }
