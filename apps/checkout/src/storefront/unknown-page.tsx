import { Link } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { PageHead } from './page-head.tsx'

export function UnknownPage() {
  const { shop } = useLanguage().messages
  return (
    <>
      <PageHead title={shop.unknownPageTitle} tagline={shop.unknownPage} />
      <p>
        <Link to="/">{shop.backToCatalogue}</Link>
      </p>
    </>
  )
}
