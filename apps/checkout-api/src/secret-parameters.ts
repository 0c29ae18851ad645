/** A route's path as Hono takes it, and which of its parameters belong in no log and no report. */
export interface RoutePath {
  /** Segments and `:parameters`. */
  path: string
  secrets?: readonly string[]
}

/**
 * Takes the secrets out of a path: each stands there by its parameter's name.
 *
 * @returns undefined where the path is none of this route
 * @example
 * hideSecrets({ path: '/doors/:door/codes/:code', secrets: ['code'] }, '/doors/7/codes/1234')
 * // => { path: '/doors/7/codes/:code', hidden: ['1234'] }
 */
export function hideSecrets(
  route: RoutePath,
  path: string,
): { path: string; hidden: string[] } | undefined {
  const template = route.path.split('/')
  const segments = path.split('/')
  if (template.length !== segments.length) return undefined
  const hidden: string[] = []
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined
    } else if (route.secrets?.includes(part.slice(1))) {
      hidden.push(segment)
      segments[index] = part
    }
  }
  return { path: segments.join('/'), hidden }
}
