/** The token endpoint, the revocation endpoint and the introspection endpoint. */
import { createHash } from 'node:crypto'
import type { ArrivedRequest, Reply } from '../profile.ts'
import { mediaTypeOf } from '../routes.ts'
import type { IssuedTokens, OAuthClient, OAuthPolicy, TokenError } from './policy.ts'
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

/** Ends a token request with an error response. */
class TokenRefusal extends Error {
  readonly error: TokenError

  constructor(status: number, code: string, description: string) {
    super(description)
    this.error = { status, code, description }
  }
}

const refuse = (code: string, description: string, status = 400): never => {
  throw new TokenRefusal(status, code, description)
}

/** Returns the reply of `work`, or the error reply for the refusal that it throws. */
const respond = ({ errorResponse }: OAuthPolicy, work: () => Reply): Reply => {
  try {
    return work()
  } catch (failure) {
    if (!(failure instanceof TokenRefusal)) throw failure
    const { error } = failure
    const { status, code, description } = error
    const body = errorResponse?.(error) ?? { error: code, error_description: description }
    return { status, body }
  }
}

const parseJson = (text: string): object => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return refuse('invalid_request', 'The body is not JSON')
  }
}

const readBody = (
  policy: OAuthPolicy,
  { headers, body }: ArrivedRequest,
): ReadonlyMap<string, string> => {
  const mediaType = mediaTypeOf(headers)
  if (!policy.bodies.some((accepted) => accepted === mediaType))
    return refuse('invalid_request', `The body may not be ${mediaType ?? 'without a type'}`)
  if (mediaType !== 'application/json') return new Map(new URLSearchParams(body.toString()))
  const fields = Object.entries(parseJson(body.toString()))
  return new Map(fields.map(([name, value]) => [name, String(value)]))
}

/** The id and secret of `Authorization: Basic`. */
const readBasic = (header: string | undefined): readonly [string, string] | undefined => {
  if (!header?.toLowerCase().startsWith('basic ')) return undefined
  const [id = '', ...secret] = Buffer.from(header.slice(6), 'base64').toString().split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret.join(':'))]
}

const authenticate = (
  { policy: { clientAuthentication }, clients }: TokenContext,
  { headers }: ArrivedRequest,
  body: ReadonlyMap<string, string>,
): OAuthClient => {
  const basic = clientAuthentication.includes('basic')
    ? readBasic(headers.authorization)
    : undefined
  const fromBody = clientAuthentication.includes('body')
    ? [body.get('client_id'), body.get('client_secret')]
    : []
  const [id = '', secret] = basic ?? fromBody
  const client = clients.get(id)
  return client !== undefined && client.clientSecret === secret
    ? client
    : refuse('invalid_client', 'The client is not known', 401)
}

const redeem = (
  { policy, tokens }: TokenContext,
  { clientId }: OAuthClient,
  body: ReadonlyMap<string, string>,
): IssuedTokens => {
  const code = tokens.redeemCode(body.get('code') ?? '')
  if (code?.grant.clientId !== clientId)
    return refuse('invalid_grant', 'The code is unknown, used or expired')
  const isOptional = policy.optionalParameters?.includes('redirect_uri')
  const redirectUri = body.get('redirect_uri') ?? (isOptional ? code.redirectUri : undefined)
  if (redirectUri !== code.redirectUri)
    return refuse('invalid_grant', 'redirect_uri is not that of the authorization request')
  const verifier = body.get('code_verifier')
  if (policy.pkce === 'unsupported' && verifier !== undefined)
    return refuse('invalid_request', 'code_verifier is not a parameter')
  const challenge =
    verifier === undefined ? undefined : createHash('sha256').update(verifier).digest('base64url')
  if (challenge !== code.codeChallenge)
    return refuse('invalid_grant', 'code_verifier does not match code_challenge')
  return tokens.issue(code.grant)
}

const issue = (
  context: TokenContext,
  client: OAuthClient,
  body: ReadonlyMap<string, string>,
): IssuedTokens => {
  const { policy, tokens } = context
  const isOptional = policy.optionalParameters?.includes('grant_type')
  const grantType = body.get('grant_type') ?? (isOptional ? 'authorization_code' : 'none')
  if (grantType === 'authorization_code') return redeem(context, client, body)
  if (grantType !== 'refresh_token' || policy.refresh === undefined)
    return refuse('unsupported_grant_type', `The grant type ${grantType} is not supported`)
  return (
    tokens.refresh(body.get('refresh_token') ?? '', client.clientId) ??
    refuse('invalid_grant', 'The refresh token is unknown, used, expired or revoked')
  )
}

/** Responds to a token request: a code or a refresh token against new tokens. */
export const exchange = (context: TokenContext, request: ArrivedRequest): Reply => {
  const { policy } = context
  return respond(policy, () => {
    const body = readBody(policy, request)
    const declared = [...PARAMETERS, ...(policy.tokenParameters ?? [])]
    const undeclared = [...body.keys()].find((name) => !declared.includes(name))
    if (undeclared !== undefined) refuse('invalid_request', `${undeclared} is not a parameter`)
    const client = authenticate(context, request, body)
    const problem = policy.checkTokenRequest?.(body)
    if (problem !== undefined) refuse('invalid_request', problem)
    return { status: 200, body: policy.tokenResponse(issue(context, client, body)) }
  })
}

/** Responds to a revocation request: ends the grant of the token. */
export const revoke = (context: TokenContext, request: ArrivedRequest): Reply =>
  respond(context.policy, () => {
    const body = readBody(context.policy, request)
    const client = authenticate(context, request, body)
    return context.tokens.revoke(body.get('token') ?? '', client.clientId)
      ? { status: 200, body: '' }
      : refuse('invalid_request', 'The token is not known')
  })

/** Responds to an introspection request (RFC 7662). A client learns of its own tokens alone. */
export const introspect = (context: TokenContext, request: ArrivedRequest): Reply =>
  respond(context.policy, () => {
    const body = readBody(context.policy, request)
    const { clientId } = authenticate(context, request, body)
    const found = context.tokens.introspect(body.get('token') ?? '')
    const own = found?.clientId === clientId ? found : undefined
    const response = context.policy.introspectionResponse?.(own) ?? { active: own !== undefined }
    return { status: 200, body: response }
  })
