/** What one failed attempt tells us. */
export interface Failure {
  /**
   * - `'http'`: the server answered with an error status
   * - `'network'`: no answer arrived
   * - `'timeout'`: a limit on the attempt was reached
   * - `'cancelled'`: the caller took the request back
   * - `'refused'`: we did not send it
   * - `'unknown'`: anything else, programming mistakes included
   */
  kind: 'http' | 'network' | 'timeout' | 'cancelled' | 'refused' | 'unknown'
  /** Whether another attempt may succeed. */
  retryable: boolean
  /** A short slug with few values (`http-503`, `network`, `attempt-timeout`), fit for a metric label. */
  reason: string
  /** The HTTP status, where there is one. */
  status?: number
  /** How long the server asks us to wait, in milliseconds, where it does. */
  serverWaitMs?: number
  /** What the server itself says about a retry (`x-should-retry`, `stripe-should-retry`), where it does. */
  serverSaysRetry?: boolean
  /**
   * Whether the request may have taken effect.
   *
   * - `'none'`: never sent, or turned away before the work
   * - `'rejected'`: a definite refusal
   * - `'unknown'`: everything else (lost answer, timeout, 5xx)
   */
  effect: 'none' | 'unknown' | 'rejected'
}
