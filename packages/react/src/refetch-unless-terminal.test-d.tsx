import {
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { describe, expectTypeOf, it } from 'vitest'
import { createRetryPreset, refetchUnlessTerminal, retryAwareInterval } from './index.ts'

interface Cart {
  lines: string[]
}

const cart = {
  queryKey: ['cart', 7] as const,
  queryFn: async (): Promise<Cart> => ({ lines: [] }),
}
const calm = {
  refetchOnWindowFocus: refetchUnlessTerminal,
  refetchOnReconnect: refetchUnlessTerminal,
  refetchOnMount: refetchUnlessTerminal,
  retryOnMount: refetchUnlessTerminal,
  refetchInterval: retryAwareInterval(5_000),
}

describe('refetchUnlessTerminal and retryAwareInterval', () => {
  it('go into the default options, with a preset', () => {
    const preset = createRetryPreset()
    new QueryClient({ defaultOptions: { queries: { ...preset.queries, ...calm } } })
  })

  it('leave the data and the error of useQuery what they were', () => {
    const { data, error } = useQuery({ ...cart, ...calm })
    expectTypeOf(data).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(error).toEqualTypeOf<Error | null>()
  })

  it('leave what `select` makes of it', () => {
    const { data } = useQuery({ ...cart, ...calm, select: ({ lines }) => lines.length })
    expectTypeOf(data).toEqualTypeOf<number | undefined>()
  })

  it('leave an error type that was given', () => {
    const { error } = useQuery<Cart, TypeError>({ queryKey: ['cart'], ...calm })
    expectTypeOf(error).toEqualTypeOf<TypeError | null>()
  })

  it('leave the data of a query without a query function unknown', () => {
    expectTypeOf(useQuery({ queryKey: ['cart'], ...calm }).data).toBeUnknown()
  })

  it('leave the data of useSuspenseQuery, useInfiniteQuery and useQueries what they were', () => {
    expectTypeOf(useSuspenseQuery({ ...cart, ...calm }).data).toEqualTypeOf<Cart>()
    const pages = { ...cart, initialPageParam: 0, getNextPageParam: () => 1 }
    const infinite = useInfiniteQuery({ ...pages, ...calm })
    expectTypeOf(infinite.data).toEqualTypeOf(useInfiniteQuery(pages).data)
    const [first] = useQueries({ queries: [{ ...cart, ...calm }] })
    expectTypeOf(first.data).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(first.error).toEqualTypeOf<Error | null>()
  })

  it('leave queryOptions what they were', () => {
    const { queryKey } = queryOptions({ ...cart, ...calm })
    expectTypeOf(new QueryClient().getQueryData(queryKey)).toEqualTypeOf<Cart | undefined>()
  })

  it('take a query, and nothing else', () => {
    // @ts-expect-error -- they are about the query they are asked with
    refetchUnlessTerminal()
    // @ts-expect-error -- a result of useQuery is no query
    refetchUnlessTerminal(useQuery(cart))
  })
})

describe('retryAwareInterval', () => {
  it('takes no text for a number of milliseconds', () => {
    // @ts-expect-error -- durations are numbers of milliseconds
    retryAwareInterval('5s')
  })

  it('takes no option that does not exist', () => {
    // @ts-expect-error -- the longest interval is `capMs`, as in a policy
    retryAwareInterval(5_000, { maxMs: 60_000 })
    // @ts-expect-error -- the jitter is what makes the slowing
    retryAwareInterval(5_000, { jitter: 'none' })
  })
})
