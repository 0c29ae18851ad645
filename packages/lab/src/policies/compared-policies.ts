import type { ComparedPolicy } from './compared-policy.ts'
import { decorrelated, equal, exponential, fixed, full } from './jitter.ts'
import { awsSdk, axiosRetry, axiosRetryExponential, pRetry } from './libraries.ts'
import { preset, presetClamped } from './preset.ts'
import {
  serverWaitExact,
  serverWaitMax,
  serverWaitPlusDraw,
  serverWaitPlusSpread,
} from './server-wait.ts'
import { tanstack } from './tanstack.ts'

/**
 * Every policy that the lab knows by name: TanStack Query's default, the plain shapes, the three jitters, the
 * preset with and without its floor done right, other libraries, and four answers to a `Retry-After`.
 */
export const COMPARED_POLICIES: readonly ComparedPolicy[] = [
  tanstack,
  fixed,
  exponential,
  full,
  equal,
  decorrelated,
  preset,
  presetClamped,
  pRetry,
  axiosRetry,
  axiosRetryExponential,
  awsSdk,
  serverWaitExact,
  serverWaitMax,
  serverWaitPlusDraw,
  serverWaitPlusSpread,
]
