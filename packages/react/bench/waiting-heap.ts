import { createRetryPreset } from '@query-retry/react'
import { QueryClient } from '@tanstack/react-query'

const QUERIES = 10_000
const LONG_MS = 600_000

/** Heap that a query takes while it waits for its retry, with the preset and on a bare client. */
export async function measureWaitingHeap() {
  const preset = createRetryPreset({
    retryOnServer: true,
    // All of them wait.
    budget: false,
    floorMs: LONG_MS,
    capMs: LONG_MS,
    deadlineMs: Number.POSITIVE_INFINITY,
  })
  // The first run of each pays for what is shared and compiled once.
  const runs = []
  for (const queries of [{ retry: 3, retryDelay: LONG_MS }, preset.queries]) {
    await bytesPerQuery(queries)
    runs.push(await bytesPerQuery(queries))
  }
  const [bare, withPreset] = runs as [number, number]
  return { bareBytes: bare, presetBytes: withPreset, addedBytes: withPreset - bare }
}

async function bytesPerQuery(queries: object): Promise<number> {
  const client = new QueryClient({ defaultOptions: { queries } })
  const before = heapBytes()
  for (let index = 0; index < QUERIES; index++) {
    const queryFn = () => Promise.reject({ status: 503 })
    client.fetchQuery({ queryKey: [index], queryFn, ...queries }).catch(() => {})
  }
  await new Promise(resolve => setTimeout(resolve, 50))
  const bytes = (heapBytes() - before) / QUERIES
  const waiting = client
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.fetchFailureCount === 1 && state.fetchStatus === 'fetching')
  if (waiting.length !== QUERIES) throw new Error(`${waiting.length} of ${QUERIES} queries wait`)
  await client.cancelQueries()
  client.clear()
  return bytes
}

function heapBytes(): number {
  if (!globalThis.gc) throw new Error('Run with --expose-gc: `pnpm bench` does.')
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
