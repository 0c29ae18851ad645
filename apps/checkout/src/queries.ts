import type { Cart, CataloguePage, Order, OrderSummary } from '@query-retry/checkout-api'
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'

/** Told about every request that leaves for a query: what the timeline counts. */
export type SendListener = (queryKey: QueryKey) => void

/** What the shop reads. No query sets `retry`: the preset decides for all of them. */
export function createShopQueries(api: Api, onSend: SendListener) {
  const read = <T>(
    path: string,
    { signal, queryKey }: { signal: AbortSignal; queryKey: QueryKey },
  ) => api.get<T>(path, { signal, onSend: () => onSend(queryKey) })

  return {
    catalogue: () =>
      infiniteQueryOptions({
        queryKey: ['catalogue'],
        queryFn: context => read<CataloguePage>(`/catalogue?page=${context.pageParam}`, context),
        initialPageParam: 1,
        getNextPageParam: page => page.nextPage,
      }),
    cart: () =>
      queryOptions({
        queryKey: ['cart'],
        queryFn: context => read<Cart>('/cart', context),
      }),
    orders: () =>
      queryOptions({
        queryKey: ['orders'],
        queryFn: context => read<{ orders: OrderSummary[] }>('/orders', context),
      }),
    order: (id: string) =>
      queryOptions({
        queryKey: ['order', id],
        queryFn: context => read<Order>(`/orders/${encodeURIComponent(id)}`, context),
      }),
  }
}

/** The server's name for what a query asks, as in its log of calls. */
export function operationOfKey([name, id]: QueryKey): string {
  return name === 'order' ? `GET /orders/${encodeURIComponent(String(id))}` : `GET /${String(name)}`
}
