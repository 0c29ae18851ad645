import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import { App } from '../app.tsx'
import { createShop } from '../shop.ts'

/** The shop in a document of its own, which can be reloaded and closed: see `openTab`. */
const {
  api = '',
  provider = '',
  path = '/',
  speed = '1',
} = Object.fromEntries(new URLSearchParams(location.search))

const { setTimeout } = window
Object.assign(window, {
  setTimeout: (handler: () => void, ms = 0) => setTimeout(handler, ms / Number(speed)),
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <MemoryRouter initialEntries={[path]}>
    <App shop={createShop({ apiUrl: api, providerUrl: provider })} language="en" />
  </MemoryRouter>,
)
