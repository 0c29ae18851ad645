import type { HerdPolicy } from '../delay-policy.ts'
import type { HerdOptions } from '../herd-options.ts'

/** A policy under a name, to be set beside others. Spread it into {@link HerdOptions}. */
export interface ComparedPolicy {
  /** As it is called on the command line. */
  name: string
  /** What it does, in a line. */
  title: string
  /** Where its formula or its numbers are published. */
  source: string
  policy: HerdPolicy
  /** The budget of each client, where it has one. */
  budget?: HerdOptions['budget']
}
