import type { CallReport, Fault, FaultState, FaultTarget } from '@query-retry/checkout-api'

/** The server's fault switches, or why there are none. */
export type SwitchState =
  | { status: 'on'; faults: Partial<Record<FaultTarget, FaultState | null>> }
  | { status: 'off' }
  | { status: 'unreachable' }

export type FaultSwitches = ReturnType<typeof createFaultSwitches>

/** Far below anybody's patience: the panel should say soon that nothing answers. */
const GIVE_UP_MS = 4_000

/**
 * The backstage's own line to the server. It goes past the query client on purpose: it must work in
 * bad weather, and what it asks is no part of what it shows.
 */
export function createFaultSwitches(apiUrl: string) {
  const call = (path: string, init?: RequestInit) =>
    fetch(apiUrl + path, { ...init, signal: AbortSignal.timeout(GIVE_UP_MS) })

  return {
    async read(): Promise<SwitchState> {
      try {
        const response = await call('/faults')
        if (!response.ok) return { status: 'off' }
        return { status: 'on', ...((await response.json()) as { faults: Record<string, never> }) }
      } catch {
        return { status: 'unreachable' }
      }
    },

    /** @throws when the server does not take it */
    async set(target: FaultTarget, fault: Fault): Promise<void> {
      await accepted(
        call(`/faults/${target}`, {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(fault),
        }),
      )
    },

    /** @throws when the server does not take it */
    async clear(target: FaultTarget): Promise<void> {
      await accepted(call(`/faults/${target}`, { method: 'DELETE' }))
    },

    /** @throws when the server does not take it */
    async clearAll(): Promise<void> {
      await accepted(call('/faults', { method: 'DELETE' }))
    },

    /** The calls that arrived, or undefined where the server does not tell. */
    async readCalls(): Promise<(CallReport & { clockAheadMs: number }) | undefined> {
      try {
        const response = await call('/faults/calls')
        if (!response.ok) return undefined
        const report = (await response.json()) as CallReport
        return { ...report, clockAheadMs: clockAheadMs(response.headers.get('Date')) }
      } catch {
        return undefined
      }
    },

    async forgetCalls(): Promise<void> {
      await accepted(call('/faults/calls', { method: 'DELETE' }))
    },
  }
}

async function accepted(answer: Promise<Response>): Promise<void> {
  const { ok, status } = await answer
  if (!ok) throw new Error(`the fault switches answered ${status}`)
}

/** `Date` counts whole seconds, so a difference below two of them may be none. */
function clockAheadMs(date: string | null): number {
  const difference = date === null ? 0 : Date.parse(date) - Date.now()
  return Math.abs(difference) < 2_000 || Number.isNaN(difference) ? 0 : difference
}
