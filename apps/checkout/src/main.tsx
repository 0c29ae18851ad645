import '@fontsource/gowun-batang/700.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { App } from './app.tsx'
import { createShop } from './shop.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const shop = createShop({
  apiUrl: import.meta.env.VITE_API_URL ?? 'http://localhost:8787',
  providerUrl: import.meta.env.VITE_PROVIDER_URL ?? 'http://localhost:8788',
})

createRoot(root).render(
  <StrictMode>
    <BrowserRouter>
      <App shop={shop} />
    </BrowserRouter>
  </StrictMode>,
)
