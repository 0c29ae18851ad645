/** An answer that says no. Carries status and headers, so that a retry preset can read `Retry-After`. */
export class ApiError extends Error {
  readonly status: number
  readonly headers: Headers

  constructor(path: string, response: Response) {
    super(`${path} answered ${response.status}`)
    this.name = 'ApiError'
    this.status = response.status
    this.headers = response.headers
  }
}

export interface ApiRequest {
  signal: AbortSignal
  /** Called at the moment the request leaves. */
  onSend?: (() => void) | undefined
}

export interface Api {
  readonly url: string
  /**
   * Reads one resource.
   *
   * @throws ApiError for an error status; fetch's own error where no whole answer arrives
   */
  get<T>(path: string, request: ApiRequest): Promise<T>
}

/** The only place of the shop that talks to the shop's routes. */
export function createApi(url: string): Api {
  return {
    url,
    async get<T>(path: string, { signal, onSend }: ApiRequest): Promise<T> {
      onSend?.()
      const response = await fetch(url + path, { signal, headers: { Accept: 'application/json' } })
      if (!response.ok) throw new ApiError(path, response)
      return (await response.json()) as T
    },
  }
}
