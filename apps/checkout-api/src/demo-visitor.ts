import type { Visitor } from './session/visitor.ts'

/** Whom the shop shows its pages to as long as nobody has logged in. */
export const DEMO_VISITOR: Visitor = { id: 'mina', name: { en: 'Mina', ko: '미나' } }

/** The one cart that the demo has. */
export const DEMO_CART_ID = 'cart_demo'
