/**
 * Reads one property of anything, for errors whose shape nobody promised.
 *
 * @returns the property, or undefined where there is none or where reading it throws. Never throws.
 */
export function readProperty(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key]
  } catch {
    return undefined
  }
}

/**
 * A string, or a number as one, as statuses, codes and header values come.
 *
 * @returns empty for anything else. Never throws.
 */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
