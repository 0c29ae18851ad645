/** Who the demo's customer is: the principal of everything that is sent under a key. */
export const VISITOR = 'mina'

/** A shop that does not answer a login for this long is not going to. */
const LOGIN_LIMIT_MS = 10_000

/** What a request under a key may never do: follow somebody else's redirect, or come out of a cache. */
const STRICT = { redirect: 'error', cache: 'no-store' } as const

export type Session = ReturnType<typeof createSession>

/** Logs the demo's visitor in when something needs a login, and keeps the token for this page. */
export function createSession(apiUrl: string) {
  let token: Promise<string> | undefined

  async function logIn(): Promise<string> {
    const response = await fetch(`${apiUrl}/session`, {
      ...STRICT,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ visitor: VISITOR }),
      signal: AbortSignal.timeout(LOGIN_LIMIT_MS),
    })
    if (!response.ok) throw response
    return ((await response.json()) as { token: string }).token
  }

  async function currentToken(): Promise<string> {
    token ??= logIn()
    const current = token
    try {
      return await current
    } catch (error) {
      if (token === current) token = undefined
      throw error
    }
  }

  async function sendAs(bearer: string, path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${bearer}` }
    return fetch(apiUrl + path, { ...init, ...STRICT, headers })
  }

  return {
    /**
     * Sends a request as the visitor. Where the token is no good any more, the same visitor logs in again
     * and the same request goes out once more: a 401 says that it did nothing.
     *
     * @throws fetch's own error where no answer came, or the answer to a login that was refused
     */
    async send(path: string, init: RequestInit = {}): Promise<Response> {
      const bearer = await currentToken()
      const response = await sendAs(bearer, path, init)
      if (response.status !== 401) return response
      if ((await token) === bearer) token = undefined
      return sendAs(await currentToken(), path, init)
    },
  }
}
