import type { AnyQuery } from './operation.ts'

/**
 * An option that TanStack asks with the query, for queries of any type.
 *
 * The parameter names a property that depends on no type: TypeScript infers nothing from it, and the data and
 * error of a query that spreads the option stay what they were. {@link AnyQuery} would make the error `any`.
 */
export type QueryOption<T> = (query: Pick<AnyQuery, 'queryHash'>) => T
