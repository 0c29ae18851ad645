import { classifyFailure } from '@query-retry/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, type ReactNode, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { orderNumber } from './order-number.ts'
import { PageHead } from './page-head.tsx'

/** Shows why an order did not come and offers to try again; new weather tries again by itself. */
export function OrderBoundary({ id, children }: { id: string; children: ReactNode }) {
  const { weather } = useShop()
  const { reset } = useQueryErrorResetBoundary()
  const { generation } = useSyncExternalStore(weather.subscribe, weather.getSnapshot)
  return (
    <Boundary
      generation={generation}
      onReset={reset}
      fallback={(error, tryAgain) => <OrderFailed id={id} error={error} onTryAgain={tryAgain} />}
    >
      {children}
    </Boundary>
  )
}

interface BoundaryProps {
  generation: number
  onReset(): void
  fallback(error: unknown, tryAgain: () => void): ReactNode
  children: ReactNode
}

class Boundary extends Component<BoundaryProps, { caught?: { error: unknown } | undefined }> {
  override state: { caught?: { error: unknown } | undefined } = {}

  static getDerivedStateFromError(error: unknown) {
    return { caught: { error } }
  }

  override componentDidUpdate(previous: BoundaryProps) {
    if (this.state.caught && previous.generation !== this.props.generation) this.tryAgain()
  }

  tryAgain = () => {
    this.props.onReset()
    this.setState({ caught: undefined })
  }

  override render() {
    const { caught } = this.state
    return caught ? this.props.fallback(caught.error, this.tryAgain) : this.props.children
  }
}

function OrderFailed({
  id,
  error,
  onTryAgain,
}: {
  id: string
  error: unknown
  onTryAgain(): void
}) {
  const { queryClient, queries } = useShop()
  const { messages } = useLanguage()
  const words = messages.order
  const failure = classifyFailure(error)
  const isMissing = failure.status === 404
  const failureCount = queryClient.getQueryState(queries.order(id).queryKey)?.fetchFailureCount ?? 1
  const explanation = isMissing
    ? words.notFound
    : failure.kind === 'network'
      ? words.noConnection
      : failure.kind === 'http' && failure.retryable
        ? words.serverStruggles(words.times(failureCount))
        : words.failed

  return (
    <>
      <PageHead title={words.title(orderNumber(id))} tagline="" />
      <section className="order-failed" role="alert">
        <h2>{isMissing ? words.notFoundTitle : words.failedTitle}</h2>
        <p>{explanation}</p>
        <p className="order-failed__ways">
          {!isMissing && (
            <button
              type="button"
              className="button"
              onClick={() => {
                // This button goes with the error; the focus needs a place that stays.
                document.getElementById('page')?.focus()
                onTryAgain()
              }}
            >
              {words.tryAgain}
            </button>
          )}
          <Link to="/orders">{words.all}</Link>
        </p>
      </section>
    </>
  )
}
