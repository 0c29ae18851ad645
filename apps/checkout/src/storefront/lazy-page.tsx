import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useLanguage } from '../language/language.tsx'
import { Loading } from './loading.tsx'
import { PageNotLoaded } from './page-not-loaded.tsx'

/**
 * A page whose code only those load who come to it.
 *
 * @param load - imports it; where that fails the shop stays, and says so in its place
 */
export function lazyPage(page: 'policy' | 'storm', load: () => Promise<ComponentType>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch {
      return { default: () => <PageNotLoaded page={page} /> }
    }
  })
}

/** Around a {@link lazyPage}: what is shown until its code is there. */
export function PageOnItsWay({
  page,
  children,
}: {
  page: 'policy' | 'storm'
  children: ReactNode
}) {
  const words = useLanguage().messages[page]
  return (
    <Suspense fallback={<Loading label={words.loading} shape="line" count={5} />}>
      {children}
    </Suspense>
  )
}
