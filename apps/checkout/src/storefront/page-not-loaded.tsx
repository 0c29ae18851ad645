import { useLanguage } from '../language/language.tsx'
import { PageHead } from './page-head.tsx'

/** In the place of a page whose code has not come. The browser remembers that, until it loads anew. */
export function PageNotLoaded({ page }: { page: 'policy' | 'storm' }) {
  const words = useLanguage().messages[page]
  return (
    <>
      <PageHead title={words.notLoadedTitle} tagline={words.notLoaded} />
      <button type="button" className="button" onClick={() => location.reload()}>
        {words.reload}
      </button>
    </>
  )
}
