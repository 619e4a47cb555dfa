export type Variables = Readonly<Record<string, unknown>>

/** An error of Vendure: `code` is an error's `extensions.code` or an error result's `errorCode`. */
export class VendureError extends Error {
  override readonly name = 'VendureError'
  readonly code: string

  constructor(code: string, message: string) {
    super(`Vendure answered ${code}: ${message}`)
    this.code = code
  }
}

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { message: string; extensions?: { code?: string } }[]
}

/** Runs one GraphQL operation; the result has a `token` if Vendure started a session. @throws VendureError */
export async function sendOperation(request: {
  readonly url: string
  readonly query: string
  readonly variables?: Variables | undefined
  readonly headers?: Readonly<Record<string, string>>
}): Promise<{ data: unknown; token: string | null }> {
  const response = await fetch(request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...request.headers },
    body: JSON.stringify({ query: request.query, variables: request.variables }),
  })
  const { data, errors } = (await response.json()) as Answer // GraphQL over HTTP
  const [error] = errors ?? []
  if (error) throw new VendureError(error.extensions?.code ?? 'UNKNOWN', error.message)
  return { data, token: response.headers.get('vendure-auth-token') }
}

/** The value of the only root field, unless it is an error result. @throws VendureError */
export function resultOf<Result>(data: unknown): Result {
  const [result] = Object.values(data as Record<string, unknown>) // GraphQL: data is an object
  const { errorCode, result: deletion, message } = (result ?? {}) as Record<string, string>
  if (errorCode) throw new VendureError(errorCode, message ?? '')
  if (deletion === 'NOT_DELETED') throw new VendureError(deletion, message ?? '')
  return result as Result // the caller wrote the query, so knows its shape
}
