/** The caller of a request, and the credentials that it may use. */
import { ApiError, invalidParameter } from '../../errors.ts'
import type { Access, CredentialFacts, KeyOwner } from '../../store/accounts/access.ts'
import { isUserToken, type TokenOwner, type UserTokens } from './tokens.ts'

/** The integrator's backend, authenticated by an API key. */
export interface KeyCaller extends KeyOwner {
  readonly kind: 'key'
}

/** An end user in the integrator's frontend, authenticated by a user token. */
export interface UserCaller extends TokenOwner {
  readonly kind: 'user'
}

export type Caller = KeyCaller | UserCaller

// RFC 9110, section 11.1: the scheme is a word in any case. RFC 6750, section 2.1: the token's characters.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The `WWW-Authenticate` header of every 401 (RFC 9110, section 11.6.1). */
export const CHALLENGE = 'Bearer'

/** The dependencies of `authenticateCaller`. */
export interface CallerDependencies {
  readonly access: Access
  readonly tokens: UserTokens
}

/** Missing or invalid authentication. It may be a guess, so it is counted; an expired token is not. */
export class UnknownCallerError extends ApiError {
  constructor(message: string) {
    super('UNAUTHENTICATED', message)
  }
}

const authenticateUser = async (
  { access, tokens }: CallerDependencies,
  token: string,
): Promise<UserCaller> => {
  const owner = await tokens.verify(token)
  if (owner === 'expired')
    throw new ApiError('UNAUTHENTICATED', 'The user token has expired. Request a new one.')
  // Looked up for each request: a token becomes invalid when its user or environment is deleted.
  const user = owner === 'invalid' ? undefined : await access.user(owner.userId)
  if (owner === 'invalid' || user?.environmentId !== owner.environmentId)
    throw new UnknownCallerError('The user token is invalid.')
  return { kind: 'user', ...owner }
}

/**
 * Authenticates a request by its API key or user token.
 * @param isTrusted whether an unknown key may cause a database query: false after too many failures of the address
 * @throws UNAUTHENTICATED
 */
export const authenticateCaller = async (
  authentication: CallerDependencies,
  authorization: string | undefined,
  isTrusted: () => Promise<boolean>,
): Promise<Caller> => {
  if (authorization === undefined)
    throw new UnknownCallerError('Send the API key: Authorization: Bearer <key>.')
  const bearer = BEARER.exec(authorization)?.[1]
  if (bearer === undefined)
    throw new UnknownCallerError('Authorization: expected Bearer and an API key or user token.')
  if (isUserToken(bearer)) return authenticateUser(authentication, bearer)
  const { access } = authentication
  const shouldLookUp = (await isTrusted()) || (await access.isListedKey(bearer))
  const owner = shouldLookUp ? await access.keyOwner(bearer) : undefined
  if (owner === undefined) throw new UnknownCallerError('The API key is invalid.')
  return { kind: 'key', ...owner }
}

/** The caller if it uses an API key. @throws FORBIDDEN */
export const requireKey = (caller: Caller): KeyCaller => {
  if (caller.kind !== 'key')
    throw new ApiError(
      'FORBIDDEN',
      'A user token cannot call this operation. Call it from your backend with an API key.',
    )
  return caller
}

/** The error for an unknown credential, or one of another environment: callers cannot tell them apart. */
export const noCredential = (field = 'credentialId'): ApiError =>
  new ApiError('CREDENTIAL_NOT_FOUND', `No credential has this ${field}.`, [
    { field, expected: 'the id of a credential of this environment' },
  ])

/** The error for an unknown end user, or one of another environment. */
export const noUser = (): ApiError =>
  new ApiError('USER_NOT_FOUND', 'No end user has this userId.', [
    { field: 'userId', expected: 'the id of an end user of this environment' },
  ])

/** The credential, if it belongs to the caller's environment. @throws CREDENTIAL_NOT_FOUND, INVALID_PARAMETER */
export const resolveCredential = async (
  access: Access,
  caller: Caller,
  credentialId: string | undefined,
  field = 'credentialId',
): Promise<CredentialFacts> => {
  if (credentialId === undefined || credentialId === '')
    throw invalidParameter(field, 'the id of a credential (required)')
  const credential = await access.credential(credentialId)
  // A credential of another environment is reported like an unknown one.
  if (credential?.environmentId !== caller.environmentId) throw noCredential(field)
  return credential
}

/** The credentials of one query; exactly one of the three is set. */
export interface Scope {
  readonly credentialId?: string | null | undefined
  readonly credentialIds?: readonly string[] | null | undefined
  /** Selects all credentials of an end user. */
  readonly userId?: string | null | undefined
}

export const MAX_CREDENTIALS = 100

/** The credentials of a scope. @throws CREDENTIAL_NOT_FOUND, USER_NOT_FOUND, INVALID_PARAMETER */
export const resolveScope = async (
  access: Access,
  caller: Caller,
  { credentialId, credentialIds, userId }: Scope,
): Promise<readonly CredentialFacts[]> => {
  const selectors = [credentialId, credentialIds, userId].filter((value) => value != null)
  if (selectors.length !== 1)
    throw invalidParameter('credentialId', 'exactly one of credentialId, credentialIds and userId')
  if (userId != null) {
    const credentials = await access.credentialsOfUser(caller.environmentId, userId)
    if (credentials === undefined) throw noUser()
    return credentials
  }
  const ids = credentialIds ?? [credentialId ?? undefined]
  if (ids.length < 1 || ids.length > MAX_CREDENTIALS)
    throw invalidParameter('credentialIds', `1 to ${MAX_CREDENTIALS} ids`)
  const credentials = await Promise.all(
    ids.map((id, index) =>
      resolveCredential(
        access,
        caller,
        id,
        credentialIds == null ? 'credentialId' : `credentialIds[${index}]`,
      ),
    ),
  )
  // Duplicates are removed by canonical id: the input may repeat an id in another case.
  return [...new Map(credentials.map((credential) => [credential.id, credential])).values()]
}
