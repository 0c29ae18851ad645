import { useEffect, useState } from 'react'
import { useShop } from '../shop.ts'
import { SIDES, type Side } from './crowd.ts'

const LOOK_EVERY_MS = 1_000

/** What the server has received from each side of the crowd; undefined where it does not tell. */
export function useCrowdCalls(visit: string): Record<Side, number> | undefined {
  const { faults } = useShop()
  const [counts, setCounts] = useState<Record<Side, number>>()

  useEffect(() => {
    setCounts(undefined)
    if (!visit) return
    let isMounted = true
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      const report = await faults.readCalls()
      if (!isMounted) return
      const calls = report?.operations['GET /catalogue']?.calls ?? []
      const countOf = (side: Side) =>
        calls.filter(({ target }) => target.endsWith(`crowd=${side}-${visit}`)).length
      setCounts(report && (Object.fromEntries(SIDES.map(side => [side, countOf(side)])) as never))
      timer = setTimeout(look, LOOK_EVERY_MS)
    }
    void look()
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [faults, visit])

  return counts
}
