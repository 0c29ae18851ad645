/** One execution that is busy with an intent in this page, from its submit to its end. */
export interface Run {
  readonly fingerprint: string
  /** What it ends with; a retry in between does not end it. */
  readonly outcome: Promise<unknown>
  succeed(data: unknown): void
  fail(error: unknown): void
}

const runs = new WeakMap<object, Map<string, Run>>()

export function runOf(journal: object, id: string): Run | undefined {
  return runs.get(journal)?.get(id)
}

/** Begins a run, which whoever submits the same in this page joins from now on. */
export function beginRun(journal: object, id: string, fingerprint: string): Run {
  const ofJournal = runs.get(journal) ?? new Map<string, Run>()
  runs.set(journal, ofJournal)
  let settle = {} as Pick<Run, 'succeed' | 'fail'>
  const outcome = new Promise<unknown>((succeed, fail) => {
    settle = { succeed, fail }
  })
  const run = { fingerprint, outcome, ...settle }
  const forget = () => ofJournal.get(id) === run && ofJournal.delete(id)
  // Nobody need have joined.
  outcome.then(forget, forget)
  ofJournal.set(id, run)
  return run
}
