import { lazy, Suspense } from 'react'
import { useLanguage } from '../language/language.tsx'
import { Loading } from '../storefront/loading.tsx'
import { PageNotLoaded } from '../storefront/page-not-loaded.tsx'

const PolicyPage = lazy(async () => {
  try {
    const { PolicyPage } = await import('./policy-page.tsx')
    return { default: PolicyPage }
  } catch {
    return { default: () => <PageNotLoaded page="policy" /> }
  }
})

/** The page with what describes a policy, which only those load who come here. */
export function LazyPolicyPage() {
  const { policy } = useLanguage().messages
  return (
    <Suspense fallback={<Loading label={policy.loading} shape="line" count={5} />}>
      <PolicyPage />
    </Suspense>
  )
}
