/** The token and revocation endpoints of the sandbox's authorization server (RFC 6749, RFC 7009). */
import type { Database } from '../../store/database/database.ts'
import { RequestError } from '../errors.ts'
import { ACCESS_TOKEN_SECONDS, exchange, revokeToken } from './grants.ts'

/**
 * The only OAuth client of the sandbox. Its secret protects nothing: a code is bound to the redirect URI of this
 * service and to the verifier of the process that requested it.
 */
export const SANDBOX_CLIENT = { clientId: 'trunkline', clientSecret: 'sandbox-client' }

const NO_STORE = { 'cache-control': 'no-store' }

/** Whether a request has the client's id and secret, by HTTP Basic. */
const isClient = ({ headers }: Request): boolean => {
  const [, encoded = ''] = /^basic (\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
  const pair = new URLSearchParams(`pair=${Buffer.from(encoded, 'base64')}`).get('pair')
  return pair === `${SANDBOX_CLIENT.clientId}:${SANDBOX_CLIENT.clientSecret}`
}

/** Reads a required parameter of a form. */
type ReadParameter = (name: string) => string

/** Responds to the form of an authenticated client; errors as in RFC 6749, section 5.2. */
const respondToForm = async (
  request: Request,
  respond: (read: ReadParameter) => Promise<Response>,
): Promise<Response> => {
  const form = new URLSearchParams(await request.text())
  const read: ReadParameter = (name) => {
    const [value = '', ...others] = form.getAll(name)
    if (value === '' || others.length > 0) throw new RequestError(400, 'invalid_request')
    return value
  }
  try {
    if (!isClient(request))
      throw new RequestError(401, 'invalid_client', { headers: { 'www-authenticate': 'Basic' } })
    return await respond(read)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const headers = { ...NO_STORE, ...error.details.headers }
    return Response.json({ error: error.reason }, { status: error.status, headers })
  }
}

/** Exchanges the code or refresh token of a form. */
const exchangeGrant = (database: Database, nowMs: number, read: ReadParameter) => {
  switch (read('grant_type')) {
    case 'authorization_code': {
      const proof = { redirectUri: read('redirect_uri'), verifier: read('code_verifier') }
      return exchange(database, nowMs, read('code'), proof)
    }
    case 'refresh_token':
      return exchange(database, nowMs, read('refresh_token'))
    default:
      throw new RequestError(400, 'unsupported_grant_type')
  }
}

/** `POST /oauth/token`. */
export const respondToTokenRequest = (
  database: Database,
  nowMs: number,
  request: Request,
): Promise<Response> =>
  respondToForm(request, async (read) => {
    const tokens = await exchangeGrant(database, nowMs, read)
    if (!tokens) throw new RequestError(400, 'invalid_grant')
    const body = {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: tokens.refreshToken,
    }
    return Response.json(body, { headers: NO_STORE })
  })

/** `POST /oauth/revoke`. */
export const respondToRevocation = (database: Database, request: Request): Promise<Response> =>
  respondToForm(request, async (read) => {
    await revokeToken(database, read('token'))
    return new Response(null, { status: 200 })
  })
