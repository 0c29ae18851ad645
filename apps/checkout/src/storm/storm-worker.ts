import { type StormOutcome, simulateStorm } from './simulate-storm.ts'
import type { StormSettings } from './storm-settings.ts'

/** What the worker says while and after it simulates. */
export type WorkerNews = { progress: number } | { outcome: StormOutcome }

/** Progress is for the eye, and the page has other things to draw. */
const EVERY_MS = 100

const tell = (news: WorkerNews) => postMessage(news)

addEventListener('message', ({ data }: MessageEvent<StormSettings>) => {
  let toldAtMs = performance.now()
  const outcome = simulateStorm(data, progress => {
    if (performance.now() - toldAtMs < EVERY_MS) return
    toldAtMs = performance.now()
    tell({ progress })
  })
  tell({ outcome })
})
