import {
  QueryClientProvider,
  type QueryFunction,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { act } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { describe, expect, it, vi } from 'vitest'
import { RetryNotice } from './retry-notice.tsx'
import { BUSY, installNoticeStage, openStage, settle } from './testing-support/notice-stage.tsx'

installNoticeStage()

function App({ queryFn }: { queryFn: QueryFunction }) {
  const query = useQuery({ queryKey: ['cart'], queryFn })
  return (
    <>
      <RetryNotice result={query} className="banner" />
      <RetryNotice result={useMutation({ mutationFn: async () => {} })} />
      <RetryNotice />
    </>
  )
}

describe('<RetryNotice> on a server', () => {
  it('gives the empty live region, and hydrates without a mismatch where the query waits already', async () => {
    const consoleError = vi.spyOn(console, 'error')
    const { client, replies } = openStage()
    const { queryFn } = replies(BUSY)
    const app = (
      <QueryClientProvider client={client}>
        <App queryFn={queryFn} />
      </QueryClientProvider>
    )
    const html = renderToString(app)
    const empty =
      '<div data-query-retry="" data-phase="idle" lang="en">' +
      '<div role="status" aria-live="polite" data-part="message"></div></div>'
    expect(html).toBe(empty + empty + empty)
    client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await settle()
    const container = document.body.appendChild(document.createElement('div'))
    container.innerHTML = html
    const onRecoverableError = vi.fn()
    const root = await act(async () => hydrateRoot(container, app, { onRecoverableError }))
    await settle()
    const texts = [...container.querySelectorAll('[role=status]')].map(node => node.textContent)
    expect(texts).toEqual(['The server is having trouble.', '', 'The server is having trouble.'])
    expect(onRecoverableError).not.toHaveBeenCalled()
    expect(consoleError).not.toHaveBeenCalled()
    await act(async () => root.unmount())
    container.remove()
  })
})
