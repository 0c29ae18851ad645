import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningChild } from '../src/child-process.ts'
import type { Checkpoint } from '../src/idempotency/checkpoint.ts'

/** One process of the shop's server. */
export interface Worker {
  url: string
  child: RunningChild
  /** Where requests that it was sent, and has not answered, mean it to die. */
  readonly doomedAt: Set<Doom>
  isKilledFromOutside: boolean
}

interface Doom {
  checkpoint: Checkpoint
}

export interface SupervisorOptions {
  workers: number
  start: () => RunningChild
  /** A request made its worker die: at this checkpoint, or at one of several that were meant to. */
  onCrash: (checkpoint: Checkpoint | undefined) => void
  /** A worker ended, and nothing here wanted it to. */
  onUnexpectedEnd: (how: string) => void
  /** It ended before it answered, and is started again. */
  onFailedStart: () => void
}

const WORKER_IS_COMING_MS = 20
const STARTS = 3
const START_PATIENCE_MS = 30_000

/**
 * Keeps the shop's server running on several processes, as a process manager would: a worker that
 * dies is replaced at once, by one that was started before it was needed.
 *
 * The spare takes no requests; like any worker it looks for abandoned payments, though.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #workers: (Worker | undefined)[]
  readonly #children = new Set<RunningChild>()
  #spare: Promise<Worker>
  #isStopping = false

  private constructor(options: SupervisorOptions, workers: Worker[]) {
    this.#options = options
    this.#workers = workers
    this.#spare = this.#startWorker()
  }

  /** The first one alone, as it sets the database up. */
  static async start(
    options: SupervisorOptions,
    prepare: () => Promise<void>,
  ): Promise<Supervisor> {
    const supervisor = new Supervisor(options, [])
    try {
      supervisor.#workers[0] = await supervisor.#spare
      await prepare()
      supervisor.#spare = supervisor.#startWorker()
      for (let place = 1; place < options.workers; place += 1) {
        supervisor.#workers[place] = await supervisor.#startWorker()
      }
      await supervisor.#spare
      return supervisor
    } catch (error) {
      await supervisor.stop()
      throw error
    }
  }

  /** @returns undefined while a dead one is being replaced */
  worker(place: number): Worker | undefined {
    return this.#workers[place]
  }

  /** Resolves when no worker is missing and the spare is ready. */
  async atFullStrength(): Promise<void> {
    await this.#spare
    if (this.#workers.includes(undefined)) {
      await sleep(WORKER_IS_COMING_MS)
      await this.atFullStrength()
    }
  }

  /** As an operating system short of memory does. */
  kill(place: number): boolean {
    const worker = this.#workers[place]
    if (!worker) return false
    worker.isKilledFromOutside = true
    return worker.child.process.kill('SIGKILL')
  }

  /** Nothing of it runs for a while: no request, no timer, no lease that is kept alive. */
  async standStill(place: number, forMs: number): Promise<boolean> {
    const worker = this.#workers[place]
    if (!worker?.child.process.kill('SIGSTOP')) return false
    await sleep(forMs)
    return worker.child.process.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(
      [...this.#children].map(({ process, ended }) => {
        process.kill('SIGKILL')
        return ended
      }),
    )
  }

  /** A process that cannot start is started again, as its database may just have gone away. */
  async #startWorker(): Promise<Worker> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isStopping) throw new Error('the run is over')
      const child = this.#options.start()
      this.#children.add(child)
      child.ended.then(() => this.#children.delete(child))
      // One that neither answers nor ends must not hold the run up for ever.
      const patience = setTimeout(() => child.process.kill('SIGKILL'), START_PATIENCE_MS)
      try {
        const worker = { url: await child.url, child, doomedAt: new Set<Doom>() }
        return this.#watch({ ...worker, isKilledFromOutside: false })
      } catch (error) {
        if (attempt === STARTS) throw error
        this.#options.onFailedStart()
      } finally {
        clearTimeout(patience)
      }
    }
  }

  #watch(worker: Worker): Worker {
    worker.child.ended.then(end => {
      if (this.#isStopping) return
      this.#explainEnd(worker, end)
      const place = this.#workers.indexOf(worker)
      if (place >= 0) this.#replace(place)
    })
    return worker
  }

  async #replace(place: number): Promise<void> {
    this.#workers[place] = undefined
    const spare = this.#spare
    // Whoever comes next takes the one after this.
    this.#spare = spare.then(() => this.#startWorker())
    this.#spare.catch(() => undefined)
    try {
      this.#workers[place] = await spare
    } catch (error) {
      if (!this.#isStopping) this.#options.onUnexpectedEnd(String(error))
    }
  }

  #explainEnd(worker: Worker, { code, signal, lastWords }: Awaited<RunningChild['ended']>): void {
    const { onCrash, onUnexpectedEnd } = this.#options
    if (worker.isKilledFromOutside) return
    const [first, ...more] = worker.doomedAt
    if (signal === 'SIGKILL' && first) onCrash(more.length === 0 ? first.checkpoint : undefined)
    else onUnexpectedEnd(`a worker ended by itself (${code ?? signal}): ${lastWords}`)
  }
}

/** Notes that a request with this `Fault-At` means its worker to die, where it does. */
export function doomWorker(worker: Worker, faultAt: string): { lift(): void } | undefined {
  const [, checkpoint] = /^crash@(.+)$/.exec(faultAt) ?? []
  if (!checkpoint) return undefined
  const doom = { checkpoint: checkpoint as Checkpoint }
  worker.doomedAt.add(doom)
  return { lift: () => worker.doomedAt.delete(doom) }
}
