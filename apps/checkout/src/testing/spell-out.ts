/**
 * Everything that can be read in a value that was logged: also what an error, a response or a map holds
 * inside, which JSON leaves out.
 */
export function spellOut(value: unknown, seen = new Set<unknown>()): string {
  if (Object(value) !== value) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  const parts: unknown[] = []
  if (value instanceof Response) parts.push(value.url, value.headers)
  if (Symbol.iterator in Object(value)) parts.push(...(value as Iterable<unknown>))
  if (value instanceof Node) parts.push(value.textContent)
  else for (const name of Object.getOwnPropertyNames(value)) parts.push(name, Object(value)[name])
  return parts.map(part => spellOut(part, seen)).join(' ')
}
