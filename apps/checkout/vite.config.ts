import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** The workspace packages are read from their sources, so the demo always shows the code as it is. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  server: { host: 'localhost', port: 5173 },
  preview: { host: 'localhost', port: 5173 },
})
