import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, renderHook } from '@testing-library/react'
import type { ReactElement, ReactNode } from 'react'
import { afterEach } from 'vitest'
import { advance } from './conversation.ts'

afterEach(cleanup)

/** Lets `ms` milliseconds pass and React render what became of it. */
export function advanceRendered(ms: number): Promise<void> {
  return act(() => advance(ms))
}

export function renderWithClient(client: QueryClient, element: ReactElement) {
  return render(element, { wrapper: withClient(client) })
}

export function renderHookWithClient<T>(client: QueryClient, hook: () => T) {
  return renderHook(hook, { wrapper: withClient(client) })
}

export const withClient =
  (client: QueryClient) =>
  ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
