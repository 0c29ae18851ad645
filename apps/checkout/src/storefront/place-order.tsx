import type { Cart, PlacedOrder } from '@query-retry/checkout-api'
import { useIdempotentMutation } from '@query-retry/react'
import { useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { orderNumber } from './order-number.ts'
import './place-order.css'

/** Makes an order of the cart, once for each deliberate click: a double click is one. */
export function PlaceOrder({ cart }: { cart: Cart }) {
  const { payments, queries, queryClient } = useShop()
  const words = useLanguage().messages.placing
  const navigate = useNavigate()
  const { intent, isError, isPaused, mutateAsync, startOver } = useIdempotentMutation(
    payments.placement(cart.id),
  )
  const isClicked = useRef(false)
  const isBusy = isPaused || /sending|waiting|ready/.test(intent.state)

  async function place() {
    // The second click of a double click may come after the first has succeeded.
    if (isClicked.current) return
    isClicked.current = true
    try {
      if (intent.state === 'succeeded') await startOver()
      const { id } = await mutateAsync({ cart: cart.id })
      void queryClient.invalidateQueries({ queryKey: queries.orders().queryKey })
      await navigate(`/orders/${id}`)
    } catch {
      // What became of it is in the intent.
    } finally {
      isClicked.current = false
    }
  }

  const placed =
    intent.state === 'succeeded' ? (intent.result as PlacedOrder | undefined) : undefined
  return (
    <div className="place-order">
      <button type="button" className="button" aria-disabled={isBusy} onClick={() => void place()}>
        {isBusy
          ? words.placing
          : intent.state === 'unknown' || intent.state === 'expired'
            ? words.checkAgain
            : placed
              ? words.placeAnother
              : words.place}
      </button>
      <p role="status">
        {isPaused ? (
          words.paused
        ) : intent.state === 'unknown' || intent.state === 'expired' ? (
          words.unknown
        ) : placed ? (
          <>
            {words.placed}{' '}
            <Link to={`/orders/${placed.id}`}>{words.toOrder(orderNumber(placed.id))}</Link>
          </>
        ) : isError && !isBusy ? (
          words.failed
        ) : (
          ''
        )}
      </p>
    </div>
  )
}
