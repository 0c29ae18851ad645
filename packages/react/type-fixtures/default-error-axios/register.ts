import type { DefaultError } from '@tanstack/react-query'
import type { AxiosError } from 'axios'
import { expectTypeOf } from 'vitest'
import '../spread-preset.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: AxiosError
  }
}

expectTypeOf<DefaultError>().toEqualTypeOf<AxiosError>()
