import { useQuery } from '@tanstack/react-query'
import { Link, NavLink } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import './shop-header.css'

export function ShopHeader() {
  const { language, messages, choose } = useLanguage()
  const words = messages.shop
  return (
    <header className="shop-header">
      <Link className="shop-header__name" to="/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M16 26V8M16 15c-5.5 0-9-3-9-7.5 5.5 0 9 3 9 7.500Zm0 6c4.5 0 8-3 8-7-4.5 0-8 3-8 7Z" />
        </svg>
        {words.name}
      </Link>
      <nav aria-label={words.navigation}>
        <NavLink to="/" end>
          {words.catalogue}
        </NavLink>
        <NavLink to="/cart">
          {words.cart}
          <CartCount />
        </NavLink>
        <NavLink to="/orders">{words.orders}</NavLink>
      </nav>
      <button
        type="button"
        className="shop-header__language"
        lang={language === 'en' ? 'ko' : 'en'}
        onClick={() => choose(language === 'en' ? 'ko' : 'en')}
      >
        {language === 'en' ? '한국어' : 'English'}
      </button>
    </header>
  )
}

/** How much is in the cart, where that is known. A badge is not worth a notice of its own. */
function CartCount() {
  const { queries } = useShop()
  const { messages } = useLanguage()
  const { data: cart } = useQuery(queries.cart())
  const count = cart?.lines.reduce((sum, line) => sum + line.quantity, 0)
  if (!count) return null
  return (
    <>
      {' '}
      <span className="shop-header__count" aria-hidden="true">
        {count}
      </span>
      <span className="visually-hidden">({messages.shop.cartCount(count)})</span>
    </>
  )
}
