/** The cart of the one visitor that the demo has. */
export const DEMO_CART_ID = 'cart_demo'
