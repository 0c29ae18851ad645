import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { describe, expectTypeOf, it } from 'vitest'
import {
  ietfDraft,
  RetryNotice,
  type RetryNoticeState,
  useIdempotentMutation,
  useRetryNotice,
} from './index.ts'

interface Order {
  id: string
}

const pages = { initialPageParam: 0, getNextPageParam: () => 1 }
const queryFn = async () => 'data'
const mutationFn = async (_: Order) => 'receipt'

describe('useRetryNotice', () => {
  it('takes what the hooks of TanStack and the library return, whatever their types', () => {
    useRetryNotice()
    useRetryNotice(useQuery({ queryKey: ['cart'], queryFn }))
    useRetryNotice(useInfiniteQuery({ queryKey: ['orders'], queryFn, ...pages }))
    useRetryNotice({ queryKey: ['cart'], exact: true })
    useRetryNotice(useMutation({ mutationFn }))
    useRetryNotice(useMutation<string, Response, Order, { before: string }>({ mutationFn }))
    useRetryNotice(useIdempotentMutation({ mutationFn, contract: ietfDraft() }))
  })

  it('takes no part of a result that does not say which mutation it is', () => {
    const { reset, submittedAt } = useMutation({ mutationFn })
    // @ts-expect-error -- a mutation that began before the notice is found by its whole state
    useRetryNotice({ reset, submittedAt })
  })

  it('says what became of a mutation once it is stopped', () => {
    const notice = useRetryNotice(useMutation({ mutationFn }))
    if (notice.phase === 'stopped') {
      expectTypeOf(notice.effect).toEqualTypeOf<'none' | 'unknown' | 'rejected'>()
      expectTypeOf(notice.isMutation).toEqualTypeOf<boolean>()
    }
    // @ts-expect-error -- there is nothing to count while idle
    notice.mutationCount
  })
})

describe('<RetryNotice>', () => {
  it('takes the result of a query or a mutation', () => {
    ;<RetryNotice result={useQuery({ queryKey: ['cart'], queryFn })} />
    ;<RetryNotice result={useIdempotentMutation({ mutationFn, contract: ietfDraft() })} />
    // @ts-expect-error -- a key is no result: `queryKey={['cart']}`
    ;<RetryNotice result={{ queryKey: ['cart'] }} />
  })

  it('gives a text of your own all that the notice says', () => {
    const stopped = (notice: Extract<RetryNoticeState, { phase: 'stopped' }>) =>
      `${notice.mutationCount} ${notice.effect}`
    ;<RetryNotice messages={{ stopped }} />
  })
})
