import type { StormOutcome } from './simulate-storm.ts'
import type { StormSettings } from './storm-settings.ts'
import type { WorkerNews } from './storm-worker.ts'

/** Where the simulations stand. */
export interface StormRun {
  /** The simulation under way takes long enough for somebody to wonder. */
  isSlow: boolean
  /** How far it is, from 0 to 1. It counts clients that are done, and they may all be done at the end. */
  progress: number
  /** The worker could not be loaded, or its simulation threw. */
  isFailed: boolean
  /** What was found last, which may be of settings that are no longer asked for. */
  outcome: StormOutcome | undefined
}

export const FIRST_RUN: StormRun = {
  isSlow: false,
  progress: 0,
  isFailed: false,
  outcome: undefined,
}

/** A simulation may go on for so long after its start, although its settings are no longer asked for. */
const PATIENCE_MS = 150

/** Most simulations are over before anybody would have read that they run. */
const SLOW_MS = 300

/**
 * Simulates in a worker, one storm at a time, the newest that was asked for.
 *
 * While somebody drags a slider, short simulations come to their end, so that the curves follow the hand; a
 * long one is ended with its worker.
 */
export class StormRunner {
  readonly #tell: (run: StormRun) => void
  #run = FIRST_RUN
  #worker: Worker | undefined
  #startedAtMs: number | undefined
  #next: StormSettings | undefined
  #patience: ReturnType<typeof setTimeout> | undefined
  #slowness: ReturnType<typeof setTimeout> | undefined

  constructor(tell: (run: StormRun) => void) {
    this.#tell = tell
  }

  run(settings: StormSettings): void {
    if (this.#startedAtMs === undefined) {
      this.#start(settings)
      return
    }
    this.#next = settings
    this.#patience ??= setTimeout(
      () => {
        this.#dismissWorker()
        this.#startNext()
      },
      this.#startedAtMs + PATIENCE_MS - performance.now(),
    )
  }

  dispose(): void {
    clearTimeout(this.#patience)
    this.#dismissWorker()
  }

  #start(settings: StormSettings): void {
    this.#worker ??= this.#hireWorker()
    this.#worker.postMessage(settings)
    this.#startedAtMs = performance.now()
    this.#slowness = setTimeout(() => this.#change({ isSlow: true }), SLOW_MS)
    this.#change({ progress: 0, isSlow: false, isFailed: false })
  }

  #startNext(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
    const next = this.#next
    this.#next = undefined
    if (next) this.#start(next)
  }

  #hireWorker(): Worker {
    const worker = new Worker(new URL('./storm-worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<WorkerNews>) => {
      if ('progress' in data) {
        this.#change({ progress: data.progress })
        return
      }
      this.#end()
      this.#change({ outcome: data.outcome, isSlow: false })
      this.#startNext()
    }
    worker.onerror = () => {
      this.#dismissWorker()
      this.#change({ isSlow: false, isFailed: true })
      this.#startNext()
    }
    return worker
  }

  #dismissWorker(): void {
    // What it has sent already may else arrive yet.
    if (this.#worker) this.#worker.onmessage = this.#worker.onerror = null
    this.#worker?.terminate()
    this.#worker = undefined
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#slowness)
    this.#startedAtMs = undefined
  }

  #change(change: Partial<StormRun>): void {
    this.#run = { ...this.#run, ...change }
    this.#tell(this.#run)
  }
}
