import { SHOP_ROUTES, type ShopRoute } from '../shop-routes.ts'

/** The target that stands for every shop route. */
export const ALL_ROUTES = 'all'

/** What a fault can be set on. */
export type FaultTarget = ShopRoute | typeof ALL_ROUTES

export const FAULT_TARGETS = [
  ...(Object.keys(SHOP_ROUTES) as ShopRoute[]),
  ALL_ROUTES,
] as const satisfies readonly FaultTarget[]

export function isFaultTarget(name: string): name is FaultTarget {
  return (FAULT_TARGETS as readonly string[]).includes(name)
}
