/** The options that were given a value: `undefined` counts as not given, so that it cannot hide a default. */
export function definedOnly<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Partial<T>
}
