/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Where the API answers. Default `http://localhost:8787`. */
  readonly VITE_API_URL?: string
  /** Where the payment provider answers. Default `http://localhost:8788`. */
  readonly VITE_PROVIDER_URL?: string
}
