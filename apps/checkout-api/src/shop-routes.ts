/**
 * Every route a customer calls, by the name under which faults and call counts know it. Control
 * and health routes are none of these: a fault on them would lock its own switch away.
 */
export const SHOP_ROUTES = {
  catalogue: { method: 'GET', path: '/catalogue' },
  cart: { method: 'GET', path: '/cart' },
  orders: { method: 'GET', path: '/orders' },
  order: { method: 'GET', path: '/orders/:id' },
} as const

export type ShopRoute = keyof typeof SHOP_ROUTES
