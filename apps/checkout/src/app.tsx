import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, Route, Routes, useLocation } from 'react-router'
import { Backstage } from './backstage/backstage.tsx'
import { type Language, LanguageProvider, useLanguage } from './language/language.tsx'
import { type Shop, ShopContext, useShop } from './shop.ts'
import { CartPage } from './storefront/cart-page.tsx'
import { CataloguePage } from './storefront/catalogue-page.tsx'
import { lazyPage, PageOnItsWay } from './storefront/lazy-page.tsx'
import { OrderPage } from './storefront/order-page.tsx'
import { OrdersPage } from './storefront/orders-page.tsx'
import { ShopHeader } from './storefront/shop-header.tsx'
import { UnknownPage } from './storefront/unknown-page.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'

/** The shop, inside any router. */
export function App({ shop, language }: { shop: Shop; language?: Language }) {
  return (
    <ShopContext value={shop}>
      <QueryClientProvider client={shop.queryClient}>
        <LanguageProvider initial={language}>
          <Layout />
        </LanguageProvider>
      </QueryClientProvider>
    </ShopContext>
  )
}

const PolicyPage = lazyPage(
  'policy',
  async () => (await import('./policy/policy-page.tsx')).PolicyPage,
)
const StormPage = lazyPage('storm', async () => (await import('./storm/storm-page.tsx')).StormPage)

function Layout() {
  const { shop: words, storm, policy } = useLanguage().messages
  useTurnedPages()
  return (
    <div className="layout">
      <a className="skip-link" href="#page">
        {words.skip}
      </a>
      <ShopHeader />
      <main id="page" tabIndex={-1}>
        <Routes>
          <Route index element={<CataloguePage />} />
          <Route path="cart" element={<CartPage />} />
          <Route path="orders" element={<OrdersPage />} />
          <Route path="orders/:id" element={<OrderPage />} />
          <Route
            path="storm"
            element={
              <PageOnItsWay page="storm">
                <StormPage />
              </PageOnItsWay>
            }
          />
          <Route
            path="policy"
            element={
              <PageOnItsWay page="policy">
                <PolicyPage />
              </PageOnItsWay>
            }
          />
          <Route path="*" element={<UnknownPage />} />
        </Routes>
      </main>
      <footer className="shop-footer">
        <p>{words.footer}</p>
        <ul>
          <li>
            <Link to="/storm">{storm.link}</Link>
          </li>
          <li>
            <Link to="/policy">{policy.link}</Link>
          </li>
        </ul>
      </footer>
      <Backstage />
    </div>
  )
}

/** A new page starts at its top, and the backstage forgets the tracks of the page before. */
function useTurnedPages() {
  const { attempts } = useShop()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what the effect is about
  useEffect(() => {
    window.scrollTo(0, 0)
    attempts.turnPage()
  }, [pathname, attempts])
}
