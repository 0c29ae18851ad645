import { useEffect, useState } from 'react'
import { useShop } from '../shop.ts'
import { SIDES, type Side } from './crowd.ts'
import { lookEverySecond } from './look-every-second.ts'

/** What the server has received from each side of the crowd; undefined where it does not tell. */
export function useCrowdCalls(visit: string): Record<Side, number> | undefined {
  const { faults } = useShop()
  const [counts, setCounts] = useState<Record<Side, number>>()

  useEffect(() => {
    setCounts(undefined)
    if (!visit) return undefined
    return lookEverySecond(
      () => faults.readCalls(),
      report => {
        const calls = report?.operations['GET /catalogue']?.calls ?? []
        const countOf = (side: Side) =>
          calls.filter(({ target }) => target.endsWith(`crowd=${side}-${visit}`)).length
        setCounts(report && (Object.fromEntries(SIDES.map(side => [side, countOf(side)])) as never))
      },
    )
  }, [faults, visit])

  return counts
}
