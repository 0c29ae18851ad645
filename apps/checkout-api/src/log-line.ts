import type { HonoRequest } from 'hono'
import { hideSecrets, type RoutePath } from './secret-parameters.ts'
import { SHOP_ROUTES } from './shop-routes.ts'

const REDACTED = '[redacted]'

/**
 * What happened to a call, as a line for the log: method, path without its secrets and without its
 * query, then `text`.
 *
 * Nothing that the call was entrusted with stays in the line, also where an error of somebody else
 * repeats it ("invalid input syntax: ..."): neither secret path parameters nor the idempotency key
 * and the token of its headers.
 *
 * @param routes - which know the secret parameters; default: the shop's
 */
export function logLine(
  request: HonoRequest,
  text: string,
  routes: readonly RoutePath[] = Object.values(SHOP_ROUTES),
): string {
  let path = request.path
  const secrets = [
    request.header('Idempotency-Key') ?? '',
    request.header('Authorization')?.replace(/^\S+ +/, '') ?? '',
  ]
  for (const route of routes) {
    const hiding = hideSecrets(route, request.path)
    if (!hiding || hiding.hidden.length === 0) continue
    path = hiding.path
    // Hono has decoded its path in part; an error may repeat the address as it came.
    const asItCame = hideSecrets(route, new URL(request.url).pathname)
    secrets.push(...hiding.hidden, ...(asItCame?.hidden ?? []))
  }
  return `${request.method} ${path}: ${redact(text, secrets)}`
}

function redact(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap(secret => [secret, ...spellingsOf(secret)]))
  // The longest first: a part that is replaced before the whole would leave the rest standing.
  return [...forms]
    .filter(form => form !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((line, form) => line.replaceAll(form, REDACTED), text)
}

/** What a route may have made of a value: percent-decoded, and read as a structured-field string. */
function spellingsOf(secret: string): string[] {
  const decoded = percentDecode(secret)
  const bare = /^"(.*)"$/s.exec(decoded)?.[1]
  return bare === undefined ? [decoded] : [decoded, bare, bare.replace(/\\(["\\])/g, '$1')]
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
