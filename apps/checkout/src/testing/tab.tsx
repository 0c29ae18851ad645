import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import { App } from '../app.tsx'
import { createShop } from '../shop.ts'

/** The shop in a document of its own, which can be reloaded and closed: see `openTab`. */
const {
  api = '',
  provider = '',
  path = '/',
} = Object.fromEntries(new URLSearchParams(location.search))

createRoot(document.getElementById('root') as HTMLElement).render(
  <MemoryRouter initialEntries={[path]}>
    <App shop={createShop({ apiUrl: api, providerUrl: provider })} language="en" />
  </MemoryRouter>,
)
