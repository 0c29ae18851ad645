import { lazy, Suspense } from 'react'
import { useLanguage } from '../language/language.tsx'
import { Loading } from '../storefront/loading.tsx'
import { PageNotLoaded } from '../storefront/page-not-loaded.tsx'

const StormPage = lazy(async () => {
  try {
    const { StormPage } = await import('./storm-page.tsx')
    return { default: StormPage }
  } catch {
    return { default: () => <PageNotLoaded page="storm" /> }
  }
})

/** The page with its simulator and plots, which only those load who come here. */
export function LazyStormPage() {
  const { storm } = useLanguage().messages
  return (
    <Suspense fallback={<Loading label={storm.loading} shape="line" count={5} />}>
      <StormPage />
    </Suspense>
  )
}
