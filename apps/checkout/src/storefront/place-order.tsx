import type { Cart, PlacedOrder } from '@query-retry/checkout-api'
import { type IntentView, useIdempotentMutation } from '@query-retry/react'
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
  const mutation = useIdempotentMutation(payments.placement(cart.id))
  const { intent, isError, mutateAsync, startOver } = mutation
  const isClicked = useRef(false)
  const phase = phaseOf(intent.state, mutation)

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

  const placed = intent.result as PlacedOrder | undefined
  return (
    <div className="place-order">
      {phase !== 'expired' && (
        <button
          type="button"
          className="button"
          aria-disabled={phase === 'placing' || phase === 'paused'}
          onClick={() => void place()}
        >
          {words.buttons[phase]}
        </button>
      )}
      <p role="status">
        {phase === 'paused' && words.paused}
        {phase === 'unknown' && words.unknown}
        {phase === 'placed' && placed && (
          <>
            {words.placed}{' '}
            <Link to={`/orders/${placed.id}`}>{words.toOrder(orderNumber(placed.id))}</Link>
          </>
        )}
        {phase === 'expired' && (
          <>
            {words.expired} <Link to="/orders">{words.toOrders}</Link>
          </>
        )}
        {phase === 'ready' && isError && words.failed}
      </p>
    </div>
  )
}

type PlacingPhase = 'ready' | 'placing' | 'paused' | 'unknown' | 'expired' | 'placed'

function phaseOf(
  state: IntentView['state'],
  { isPaused, isPending }: { isPaused: boolean; isPending: boolean },
): PlacingPhase {
  if (state === 'succeeded') return 'placed'
  if (isPaused) return 'paused'
  if (isPending) return 'placing'
  // Begun by a page that is gone, or by another tab: whoever asks again waits for it, or gets its order.
  if (state === 'sending' || state === 'waiting' || state === 'unknown') return 'unknown'
  return state === 'expired' || state === 'conflict' ? 'expired' : 'ready'
}
