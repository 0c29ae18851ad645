import { useLanguage } from '../language/language.tsx'
import { PageHead } from '../storefront/page-head.tsx'

/** In the place of the page where its code has not come. The browser remembers that, until it loads anew. */
export function PolicyNotLoaded() {
  const words = useLanguage().messages.policy
  return (
    <>
      <PageHead title={words.notLoadedTitle} tagline={words.notLoaded} />
      <button type="button" className="button" onClick={() => location.reload()}>
        {words.reload}
      </button>
    </>
  )
}
