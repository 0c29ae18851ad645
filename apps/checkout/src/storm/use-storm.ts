import { useEffect, useRef, useState } from 'react'
import { FIRST_RUN, StormRunner } from './storm-runner.ts'
import type { StormSettings } from './storm-settings.ts'

/** @param settings - another object is another storm, which replaces the one that is being simulated */
export function useStorm(settings: StormSettings) {
  const [run, setRun] = useState(FIRST_RUN)
  const runner = useRef<StormRunner>(null)

  useEffect(() => {
    const created = new StormRunner(setRun)
    runner.current = created
    return () => created.dispose()
  }, [])

  useEffect(() => runner.current?.run(settings), [settings])

  return run
}
