/**
 * The part of an order's id that people read and say.
 *
 * @example orderNumber('ord_1004') // => '1004'
 */
export function orderNumber(id: string): string {
  return id.replace(/^ord_/, '')
}
