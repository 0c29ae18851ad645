import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import './page-head.css'

/**
 * Title of a page, with the place where its notice appears. Title line and notice share one cell of
 * fixed height, so nothing below moves when a notice comes or goes.
 *
 * After a change of route the heading takes the focus: a screen reader says where one is, and the
 * next Tab goes on from there.
 */
export function PageHead({
  title,
  tagline,
  notice,
}: {
  title: string
  tagline: string
  notice?: ReactNode
}) {
  const { messages } = useLanguage()
  const heading = useRef<HTMLHeadingElement>(null)
  const { key, pathname } = useLocation()

  useEffect(() => {
    document.title = `${title} · ${messages.shop.name}`
  }, [title, messages])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what only changes the query stays on the page
  useEffect(() => {
    // 'default' is the router's key for the first page: there the browser's own focus is right.
    if (key !== 'default') heading.current?.focus({ preventScroll: true })
  }, [pathname])

  return (
    <header className="page-head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div className="page-head__slot">
        <p className="page-head__tagline">{tagline}</p>
        {notice}
      </div>
    </header>
  )
}
