import {
  type InfiniteData,
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { describe, expectTypeOf, it } from 'vitest'
import { createRetryPreset, retry, retryDelay } from './index.ts'
import { instantRetries } from './testing/index.ts'

interface Cart {
  lines: string[]
}

const preset = createRetryPreset()
const fetchCart = async (): Promise<Cart> => ({ lines: [] })
const cart = { queryKey: ['cart', 7] as const, queryFn: fetchCart }
const pages = {
  queryKey: ['pages'],
  initialPageParam: 0,
  queryFn: async ({ pageParam }: { pageParam: number }): Promise<Cart> => ({
    lines: [`${pageParam}`],
  }),
  getNextPageParam: (_last: Cart, _all: Cart[], last: number) => last + 1,
}

describe('preset.queries', () => {
  it('spreads into the default options, before and after others', () => {
    new QueryClient({
      defaultOptions: {
        queries: { ...preset.queries, staleTime: 60_000 },
        mutations: { ...preset.mutations },
      },
    })
    new QueryClient({ defaultOptions: preset.defaultOptions })
    new QueryClient({ defaultOptions: instantRetries().defaultOptions })
    new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })
  })

  it('leaves the data of useQuery what it was', () => {
    expectTypeOf(useQuery({ ...cart, ...preset.queries }).data).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(useQuery({ ...preset.queries, ...cart }).data).toEqualTypeOf<Cart | undefined>()
  })

  it('leaves the data of a synchronous query function what it was', () => {
    const { data } = useQuery({ queryKey: ['n'], queryFn: () => 1, ...preset.queries })
    expectTypeOf(data).toEqualTypeOf<number | undefined>()
  })

  it('leaves what `select` makes of it', () => {
    const { data } = useQuery({ ...cart, ...preset.queries, select: ({ lines }) => lines.length })
    expectTypeOf(data).toEqualTypeOf<number | undefined>()
  })

  it('leaves data that is `any` or `unknown` by itself alone', () => {
    const anything = useQuery({
      queryKey: ['any'],
      queryFn: (): Promise<unknown> => fetchCart(),
      ...preset.queries,
    })
    expectTypeOf(anything.data).toBeUnknown()
  })

  it('leaves the data of useSuspenseQuery what it was', () => {
    expectTypeOf(useSuspenseQuery({ ...cart, ...preset.queries }).data).toEqualTypeOf<Cart>()
  })

  it('leaves the pages of infinite queries what they were', () => {
    const plain = useInfiniteQuery({ ...pages, ...preset.queries })
    expectTypeOf(plain.data).toEqualTypeOf(useInfiniteQuery(pages).data)
    expectTypeOf(plain.data?.pages).toEqualTypeOf<Cart[] | undefined>()
    const suspense = useSuspenseInfiniteQuery({ ...pages, ...preset.queries })
    expectTypeOf(suspense.data).toEqualTypeOf<InfiniteData<Cart>>()
    const counted = useInfiniteQuery({
      ...pages,
      ...preset.queries,
      select: ({ pages: all }) => all.length,
    })
    expectTypeOf(counted.data).toEqualTypeOf<number | undefined>()
  })

  it('leaves the error what it was', () => {
    expectTypeOf(useQuery({ ...cart, ...preset.queries }).error).toEqualTypeOf<Error | null>()
    expectTypeOf(useQuery({ ...cart, retry, retryDelay }).error).toEqualTypeOf<Error | null>()
  })

  it('leaves the data of a query without a query function of its own unknown', () => {
    expectTypeOf(useQuery({ queryKey: ['cart'], ...preset.queries }).data).toBeUnknown()
  })

  it('leaves queryOptions and infiniteQueryOptions what they were', async () => {
    const client = new QueryClient()
    const options = queryOptions({ ...cart, ...preset.queries })
    expectTypeOf(client.getQueryData(options.queryKey)).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(useQuery(options).data).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(await client.fetchQuery(options)).toEqualTypeOf<Cart>()
    const infinite = infiniteQueryOptions({ ...pages, ...preset.queries })
    expectTypeOf(useInfiniteQuery(infinite).data?.pages).toEqualTypeOf<Cart[] | undefined>()
  })

  it('leaves the data of useQueries what it was', () => {
    const [first, second] = useQueries({
      queries: [
        { ...cart, ...preset.queries },
        { queryKey: ['n'], queryFn: () => 1, ...preset.queries },
      ],
    })
    expectTypeOf(first.data).toEqualTypeOf<Cart | undefined>()
    expectTypeOf(second.data).toEqualTypeOf<number | undefined>()
  })

  it('keeps the query key in the context of the query function', () => {
    useQuery({
      queryKey: ['cart', 7] as const,
      queryFn: ({ queryKey }) => {
        expectTypeOf(queryKey).toEqualTypeOf<readonly ['cart', 7]>()
        return queryKey[1]
      },
      ...preset.queries,
    })
  })
})

describe('preset.mutations', () => {
  it('leaves the data and variables of useMutation what they were', () => {
    const { data, mutate } = useMutation({
      mutationFn: (id: number) => Promise.resolve(`${id}`),
      ...preset.mutations,
    })
    expectTypeOf(data).toEqualTypeOf<string | undefined>()
    expectTypeOf(mutate).parameter(0).toEqualTypeOf<number>()
  })
})

describe('createRetryPreset', () => {
  it('takes no option that does not exist', () => {
    // @ts-expect-error -- retries are counted, not attempts: `maxRetries`
    createRetryPreset({ maxAttempts: 3 })
  })

  it('takes no text for a number of milliseconds', () => {
    // @ts-expect-error -- durations are numbers of milliseconds
    createRetryPreset({ deadlineMs: '30s' })
  })

  it('gives options that cannot be changed afterwards', () => {
    // @ts-expect-error -- a changed preset would not reach the queries that spread it before
    preset.queries.retry = () => true
  })
})
