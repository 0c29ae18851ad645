import {
  type DefaultError,
  type InfiniteData,
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { expectTypeOf } from 'vitest'
import { createRetryPreset, retry, retryDelay } from '../src/index.ts'

// Compiled once for each folder beside this file: what `Register` says about errors holds for a whole
// program, and none of it may keep the preset from being spread or change what data a query has.

export const preset = createRetryPreset()
const cart = { queryKey: ['cart'], queryFn: async () => ({ lines: ['tea'] }) }
type Cart = { lines: string[] }
const pages = {
  queryKey: ['pages'],
  queryFn: cart.queryFn,
  initialPageParam: 0,
  getNextPageParam: () => 1,
}

new QueryClient({ defaultOptions: { queries: { ...preset.queries, staleTime: 60_000 } } })
new QueryClient({ defaultOptions: { mutations: { ...preset.mutations } } })
new QueryClient({ defaultOptions: preset.defaultOptions })
new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })

/** Never called. */
export function useSpreadPreset() {
  const query = useQuery({ ...cart, ...preset.queries })
  expectTypeOf(query.data).toEqualTypeOf<Cart | undefined>()
  expectTypeOf(query.error).toEqualTypeOf<DefaultError | null>()
  const selected = useQuery({ ...cart, ...preset.queries, select: ({ lines }) => lines.length })
  expectTypeOf(selected.data).toEqualTypeOf<number | undefined>()
  const suspense = useSuspenseQuery({ ...cart, ...preset.queries })
  expectTypeOf(suspense.data).toEqualTypeOf<Cart>()
  const fromOptions = useQuery(queryOptions({ ...cart, ...preset.queries }))
  expectTypeOf(fromOptions.data).toEqualTypeOf<Cart | undefined>()
  const infinite = useInfiniteQuery({ ...pages, ...preset.queries })
  expectTypeOf(infinite.data).toEqualTypeOf<InfiniteData<Cart> | undefined>()
  const fromInfiniteOptions = useInfiniteQuery(
    infiniteQueryOptions({ ...pages, ...preset.queries }),
  )
  expectTypeOf(fromInfiniteOptions.data).toEqualTypeOf<InfiniteData<Cart> | undefined>()
  const mutation = useMutation({ mutationFn: async (id: number) => `${id}`, ...preset.mutations })
  expectTypeOf(mutation.data).toEqualTypeOf<string | undefined>()
  const pair = useQuery({ ...cart, retry, retryDelay })
  expectTypeOf(pair.error).toEqualTypeOf<DefaultError | null>()
}
