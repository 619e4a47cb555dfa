/** The token and revocation endpoints of the sandbox's authorization server (RFC 6749, RFC 7009). */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../store/database/database.ts'
import {
  ACCESS_TOKEN_SECONDS,
  exchangeCode,
  type IssuedTokens,
  refreshTokens,
  revokeToken,
} from './grants.ts'

/**
 * The only OAuth client of the sandbox. Its secret protects nothing: a code is bound to the redirect URI of this
 * service and to the verifier of the process that requested it.
 */
export const SANDBOX_CLIENT = { clientId: 'trunkline', clientSecret: 'sandbox-client' }

/** A rejected request: RFC 6749, section 5.2. */
class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** The parameters of a form. @throws TokenError if one is repeated (RFC 6749, section 3.2) */
const readForm = async (request: Request): Promise<URLSearchParams> => {
  const form = new URLSearchParams(await request.text())
  const names = [...form.keys()]
  if (new Set(names).size < names.length) throw new TokenError('invalid_request')
  return form
}

const isClient = (id: string, secret: string): boolean => {
  const digest = (...parts: readonly string[]): Buffer =>
    hash('sha256', JSON.stringify(parts), 'buffer')
  const { clientId, clientSecret } = SANDBOX_CLIENT
  return timingSafeEqual(digest(id, secret), digest(clientId, clientSecret))
}

/** @throws TokenError unless the request has the client's id and secret, by HTTP Basic or in the form */
const authenticateClient = ({ headers }: Request, form: URLSearchParams): void => {
  const [, encoded] = /^basic (\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const [id = '', ...secret] =
    encoded === undefined
      ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
      : Buffer.from(encoded, 'base64').toString('utf8').split(':')
  // RFC 6749, section 2.3.1: both are form-encoded before they are joined.
  const decode = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? ''
  const text = secret.join(':')
  if (!(encoded === undefined ? isClient(id, text) : isClient(decode(id), decode(text))))
    throw new TokenError('invalid_client')
}

const requireParameter = (form: URLSearchParams, name: string): string => {
  const value = form.get(name)
  if (value === null || value === '') throw new TokenError('invalid_request')
  return value
}

const issue = async (
  database: Database,
  nowMs: number,
  form: URLSearchParams,
): Promise<IssuedTokens | undefined> => {
  switch (requireParameter(form, 'grant_type')) {
    case 'authorization_code':
      return exchangeCode(database, nowMs, {
        code: requireParameter(form, 'code'),
        redirectUri: requireParameter(form, 'redirect_uri'),
        verifier: requireParameter(form, 'code_verifier'),
      })
    case 'refresh_token':
      return refreshTokens(database, nowMs, requireParameter(form, 'refresh_token'))
    default:
      throw new TokenError('unsupported_grant_type')
  }
}

const NO_STORE = { 'cache-control': 'no-store' }

const failed = (error: unknown): Response => {
  if (!(error instanceof TokenError)) throw error
  const status = error.code === 'invalid_client' ? 401 : 400
  const challenge = status === 401 && { 'www-authenticate': 'Basic realm="sandbox"' }
  return Response.json({ error: error.code }, { status, headers: { ...NO_STORE, ...challenge } })
}

/** `POST /oauth/token`. */
export const respondToTokenRequest = async (
  database: Database,
  nowMs: number,
  request: Request,
): Promise<Response> => {
  try {
    const form = await readForm(request)
    authenticateClient(request, form)
    const tokens = await issue(database, nowMs, form)
    if (tokens === undefined) throw new TokenError('invalid_grant')
    return Response.json(
      {
        access_token: tokens.accessToken,
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_SECONDS,
        refresh_token: tokens.refreshToken,
      },
      { headers: NO_STORE },
    )
  } catch (error) {
    return failed(error)
  }
}

/** `POST /oauth/revoke`. */
export const respondToRevocation = async (
  database: Database,
  request: Request,
): Promise<Response> => {
  try {
    const form = await readForm(request)
    authenticateClient(request, form)
    await revokeToken(database, requireParameter(form, 'token'))
    return new Response(null, { status: 200 })
  } catch (error) {
    return failed(error)
  }
}
