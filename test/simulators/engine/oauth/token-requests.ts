/** The token endpoint and the revocation endpoint. */
import { createHash } from 'node:crypto'
import type { ArrivedRequest, Reply } from '../profile.ts'
import { mediaTypeOf } from '../routes.ts'
import type { IssuedTokens, OAuthClient, OAuthPolicy } from './policy.ts'
import type { Tokens } from './tokens.ts'

export interface TokenContext {
  readonly policy: OAuthPolicy
  readonly clients: ReadonlyMap<string, OAuthClient>
  readonly tokens: Tokens
}

const PARAMETERS = [
  'grant_type',
  'code',
  'redirect_uri',
  'refresh_token',
  'code_verifier',
  'client_id',
  'client_secret',
]

/** RFC 6749, section 5.2. */
const refuse = (status: number, error: string, description: string): Reply => ({
  status,
  body: { error, error_description: description },
})

const readBody = (
  policy: OAuthPolicy,
  { headers, body }: ArrivedRequest,
): Map<string, string> | undefined => {
  const mediaType = mediaTypeOf(headers)
  if (!policy.bodies.some((accepted) => accepted === mediaType)) return undefined
  if (mediaType !== 'application/json') return new Map(new URLSearchParams(body.toString()))
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return new Map(Object.entries(Object(parsed)).map(([name, value]) => [name, String(value)]))
  } catch {
    return undefined
  }
}

/** The id and secret of `Authorization: Basic`. */
const readBasic = (header: string | undefined): readonly [string, string] | undefined => {
  if (!header?.toLowerCase().startsWith('basic ')) return undefined
  const [id = '', ...secret] = Buffer.from(header.slice(6), 'base64').toString().split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret.join(':'))]
}

const authenticate = (
  { policy, clients }: TokenContext,
  { headers }: ArrivedRequest,
  body: ReadonlyMap<string, string>,
): OAuthClient | undefined => {
  const basic = policy.clientAuthentication.includes('basic')
    ? readBasic(headers.authorization)
    : undefined
  const [id, secret] =
    basic ??
    (policy.clientAuthentication.includes('body')
      ? [body.get('client_id') ?? '', body.get('client_secret')]
      : [''])
  const client = clients.get(id)
  return client?.clientSecret === secret ? client : undefined
}

const redeem = (
  { policy, tokens }: TokenContext,
  { clientId }: OAuthClient,
  body: ReadonlyMap<string, string>,
): IssuedTokens | Reply => {
  const code = tokens.redeemCode(body.get('code') ?? '')
  if (code?.grant.clientId !== clientId)
    return refuse(400, 'invalid_grant', 'The code is unknown, used or expired')
  if (code.redirectUri !== body.get('redirect_uri'))
    return refuse(400, 'invalid_grant', 'redirect_uri is not that of the authorization request')
  const verifier = body.get('code_verifier')
  if (policy.pkce === 'unsupported' && verifier !== undefined)
    return refuse(400, 'invalid_request', 'code_verifier is not a parameter')
  const challenge =
    verifier === undefined ? undefined : createHash('sha256').update(verifier).digest('base64url')
  if (challenge !== code.codeChallenge)
    return refuse(400, 'invalid_grant', 'code_verifier does not match code_challenge')
  return tokens.issue(code.grant)
}

/** Responds to a token request: a code or a refresh token against new tokens. */
export const exchange = (context: TokenContext, request: ArrivedRequest): Reply => {
  const { policy, tokens } = context
  const body = readBody(policy, request)
  if (body === undefined) return refuse(400, 'invalid_request', 'The body is not of a known type')
  const declared = [...PARAMETERS, ...(policy.tokenParameters ?? [])]
  const undeclared = [...body.keys()].find((name) => !declared.includes(name))
  if (undeclared !== undefined)
    return refuse(400, 'invalid_request', `${undeclared} is not a parameter`)
  const client = authenticate(context, request, body)
  if (client === undefined) return refuse(401, 'invalid_client', 'The client is not known')
  const grant = body.get('grant_type')
  if (grant === 'authorization_code') {
    const issued = redeem(context, client, body)
    return 'status' in issued ? issued : { status: 200, body: policy.tokenResponse(issued) }
  }
  if (grant !== 'refresh_token' || policy.refresh === undefined)
    return refuse(400, 'unsupported_grant_type', `${grant ?? 'No grant type'} is not supported`)
  const issued = tokens.refresh(body.get('refresh_token') ?? '', client.clientId)
  return issued
    ? { status: 200, body: policy.tokenResponse(issued) }
    : refuse(400, 'invalid_grant', 'The refresh token is unknown, used, expired or revoked')
}

/** Responds to a revocation request: ends the grant of the token. */
export const revoke = (context: TokenContext, request: ArrivedRequest): Reply => {
  const body = readBody(context.policy, request)
  if (body === undefined) return refuse(400, 'invalid_request', 'The body is not of a known type')
  const client = authenticate(context, request, body)
  if (client === undefined) return refuse(401, 'invalid_client', 'The client is not known')
  return context.tokens.revoke(body.get('token') ?? '', client.clientId)
    ? { status: 200, body: '' }
    : refuse(400, 'invalid_request', 'The token is not known')
}
