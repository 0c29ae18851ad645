import type { RoutePath } from './secret-parameters.ts'

interface ShopRouteEntry extends RoutePath {
  method: 'GET' | 'POST'
}

/**
 * Every route a customer calls, by the name under which faults and call counts know it. Control
 * and health routes are none of these: a fault on them would lock its own switch away.
 */
export const SHOP_ROUTES = {
  catalogue: { method: 'GET', path: '/catalogue' },
  cart: { method: 'GET', path: '/cart' },
  orders: { method: 'GET', path: '/orders' },
  order: { method: 'GET', path: '/orders/:id' },
  'place-order': { method: 'POST', path: '/orders' },
  pay: { method: 'POST', path: '/payments' },
  payment: { method: 'GET', path: '/payments/:id' },
  'payment-by-key': { method: 'GET', path: '/payments/by-key/:key', secrets: ['key'] },
  fence: { method: 'POST', path: '/payments/by-key/:key/fence', secrets: ['key'] },
  login: { method: 'POST', path: '/session' },
} as const satisfies Record<string, ShopRouteEntry>

export type ShopRoute = keyof typeof SHOP_ROUTES
