import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkpoint } from '../src/idempotency/checkpoint.ts'
import type { RunningChild } from './child-process.ts'

/** One process of the shop's server. */
export interface Worker {
  url: string
  child: RunningChild
  /** Where requests that it was sent, and has not answered, mean it to die. */
  readonly doomedAt: Set<{ checkpoint: Checkpoint }>
  isKilledFromOutside: boolean
}

export interface SupervisorOptions {
  workers: number
  start: () => RunningChild
  /** A request made its worker die: at this checkpoint, or at one of several that were meant to. */
  onCrash: (checkpoint: Checkpoint | undefined) => void
  /** A worker ended, and nothing here wanted it to. */
  onUnexpectedEnd: (how: string) => void
}

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
    supervisor.#workers[0] = await supervisor.#spare
    await prepare()
    supervisor.#spare = supervisor.#startWorker()
    for (let place = 1; place < options.workers; place += 1) {
      supervisor.#workers[place] = await supervisor.#startWorker()
    }
    await supervisor.#spare
    return supervisor
  }

  /** @returns undefined while a dead one is being replaced */
  worker(place: number): Worker | undefined {
    return this.#workers[place]
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

  async #startWorker(): Promise<Worker> {
    if (this.#isStopping) throw new Error('the run is over')
    const child = this.#options.start()
    this.#children.add(child)
    const worker: Worker = { url: '', child, doomedAt: new Set(), isKilledFromOutside: false }
    child.ended.then(end => {
      this.#children.delete(child)
      if (this.#isStopping) return
      this.#explainEnd(worker, end)
      const place = this.#workers.indexOf(worker)
      if (place >= 0) this.#replace(place)
    })
    worker.url = await child.url
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

  #explainEnd(worker: Worker, { code, signal }: Awaited<RunningChild['ended']>): void {
    const { onCrash, onUnexpectedEnd } = this.#options
    if (worker.isKilledFromOutside) return
    const [first, ...more] = worker.doomedAt
    if (signal !== 'SIGKILL' || !first)
      onUnexpectedEnd(`a worker ended by itself (${code ?? signal})`)
    else onCrash(more.length === 0 ? first.checkpoint : undefined)
  }
}
