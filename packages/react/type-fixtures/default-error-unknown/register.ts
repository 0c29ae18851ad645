import type { DefaultError } from '@tanstack/react-query'
import { expectTypeOf } from 'vitest'
import '../spread-preset.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: unknown
  }
}

expectTypeOf<DefaultError>().toBeUnknown()
