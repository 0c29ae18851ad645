import type { Fault, FaultState, ShopRoute } from '@query-retry/checkout-api'
import { onlineManager, type Query, type QueryClient } from '@tanstack/react-query'
import type { FaultSwitches, SwitchState } from './fault-switches.ts'
import { isOfCrowd } from './scopes.ts'

export const WEATHERS = [
  'calm',
  'blip',
  'rate-limited',
  'slow',
  'outage',
  'long-outage',
  'unplugged',
] as const
export type WeatherName = (typeof WEATHERS)[number]

const ROUTES: readonly ShopRoute[] = ['catalogue', 'cart', 'orders', 'order']

/** What each weather is on the server. Unplugged is none: it happens in the browser. */
export const FAULT_OF: Record<WeatherName, Fault | undefined> = {
  calm: undefined,
  blip: { kind: 'status', status: 503, calls: 2 },
  'rate-limited': {
    kind: 'status',
    status: 429,
    retryAfter: { form: 'seconds', seconds: 2 },
    calls: 1,
  },
  slow: { kind: 'slow', delayMs: 3_000 },
  outage: { kind: 'status', status: 503 },
  // A gateway answers for a server that is gone; another status tells it from the outage.
  'long-outage': { kind: 'status', status: 502 },
  unplugged: undefined,
}

export interface WeatherState {
  name: WeatherName
  server: SwitchState['status'] | 'looking'
  /** The server did not take the last change. */
  wasRefused: boolean
  /** Grows each time that what is visible is asked for again. */
  generation: number
}

/**
 * Sets the weather between browser and server, and asks again for what is on the page so that its
 * effect is seen at once.
 *
 * Changes are applied one after the other, and only the newest of those that wait: arrow keys run
 * through a radio group faster than a server takes faults.
 */
export function createWeather(client: QueryClient, faults: FaultSwitches) {
  let state: WeatherState = { name: 'calm', server: 'looking', wasRefused: false, generation: 0 }
  let next: { name: WeatherName; isFromEmpty: boolean } | undefined
  let working: Promise<void> | undefined
  const listeners = new Set<() => void>()

  const update = (change: Partial<WeatherState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  // A real "online" event must not plug in what was unplugged by hand.
  onlineManager.subscribe(isOnline => {
    if (isOnline && state.name === 'unplugged') onlineManager.setOnline(false)
  })

  async function apply(name: WeatherName, isFromEmpty: boolean) {
    const wasUnplugged = !onlineManager.isOnline()
    const previous = state.name
    // Shown at once; the server follows.
    update({ name, wasRefused: false })
    try {
      await putFaults(faults, FAULT_OF[name])
    } catch {
      update({ name: previous, wasRefused: true, server: (await faults.read()).status })
      return
    }
    onlineManager.setOnline(name !== 'unplugged' && navigator.onLine)
    update({ server: 'on', generation: state.generation + 1 })
    // What was paused goes on by itself; cancelling it would hide just that.
    askAgain(client, { isFromEmpty, leaveRunning: wasUnplugged && name !== 'unplugged' })
  }

  async function work() {
    while (next) {
      const { name, isFromEmpty } = next
      next = undefined
      await apply(name, isFromEmpty)
    }
    working = undefined
  }

  return {
    getSnapshot: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },

    /** Sets the weather, or the same one anew, and resolves when it holds. */
    choose(name: WeatherName, { isFromEmpty = false } = {}): Promise<void> {
      next = { name, isFromEmpty }
      working ??= work()
      return working
    },

    /** Finds out what the server has set: after a reload, or when it was started in between. */
    async look(): Promise<void> {
      const found = await faults.read()
      if (working) return
      const isNewlyOn = found.status === 'on' && state.server !== 'on'
      const name =
        isNewlyOn && state.name !== 'unplugged' ? nameOf(found.faults.catalogue) : state.name
      if (found.status !== state.server || name !== state.name)
        update({ server: found.status, name })
    },
  }
}

async function putFaults(faults: FaultSwitches, fault: Fault | undefined): Promise<void> {
  // Route by route: each kind of call gets its own two failures, whatever else the page asks for, and
  // what the next payment meets stays as it was chosen.
  await Promise.all(ROUTES.map(route => (fault ? faults.set(route, fault) : faults.clear(route))))
}

function nameOf(fault: FaultState | null | undefined): WeatherName {
  if (!fault) return 'calm'
  if (fault.kind === 'slow') return 'slow'
  if (fault.kind === 'status' && fault.status === 429) return 'rate-limited'
  if (fault.kind === 'status' && fault.status === 502) return 'long-outage'
  return fault.calls === undefined ? 'outage' : 'blip'
}

function askAgain(
  client: QueryClient,
  { isFromEmpty, leaveRunning }: { isFromEmpty: boolean; leaveRunning: boolean },
): void {
  // Found before anything is cancelled: a query under Suspense has no observer, only its fetch.
  const visible = new Set(
    client
      .getQueryCache()
      .findAll()
      .filter(query => !isOfCrowd(query.queryKey))
      .filter(query => query.isActive() || query.state.fetchStatus !== 'idle'),
  )
  if (leaveRunning && !isFromEmpty) {
    void client.refetchQueries({ predicate: query => visible.has(query) }, { cancelRefetch: false })
    return
  }
  // Without data there is nothing to keep, and cancelling would bring an older error back.
  const isEmptied = (query: Query) => isFromEmpty || query.state.data === undefined
  const kept = new Set([...visible].filter(query => !isEmptied(query)))
  void client.resetQueries({ predicate: query => visible.has(query) && !kept.has(query) })
  // Silent: an ordinary cancellation would show an error where a new call is on its way.
  void client
    .cancelQueries({ predicate: query => kept.has(query) }, { silent: true })
    .then(() => client.refetchQueries({ predicate: query => kept.has(query) }))
}
