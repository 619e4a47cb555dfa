/** The caller of a request, and the credentials that a question may be put to. */
import { ApiError, invalidParameter } from '../errors.ts'
import type { Access, CredentialFacts, KeyOwner } from '../store/access.ts'
import { isUserToken, type TokenOwner, type UserTokens } from './tokens.ts'

/** The integrator's backend, by an API key. */
export interface KeyCaller extends KeyOwner {
  readonly kind: 'key'
}

/** One end user in the integrator's frontend, by a token. */
export interface UserCaller extends TokenOwner {
  readonly kind: 'user'
}

export type Caller = KeyCaller | UserCaller

// RFC 9110, section 11.1: the scheme is a word in any case. RFC 6750, section 2.1: the token's characters.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** What `WWW-Authenticate` says beside every 401 (RFC 9110, section 11.6.1). */
export const CHALLENGE = 'Bearer'

/** What callers are known by. */
export interface Authentication {
  readonly access: Access
  readonly tokens: UserTokens
}

/** Nothing good was shown: it may be a guess, and is counted. What has expired was good once, and is not. */
export class UnknownCallerError extends ApiError {
  constructor(message: string) {
    super('UNAUTHENTICATED', message)
  }
}

const authenticateUser = async (
  { access, tokens }: Authentication,
  token: string,
): Promise<UserCaller> => {
  const owner = await tokens.verify(token)
  if (owner === 'expired')
    throw new ApiError('UNAUTHENTICATED', 'The user token has expired: get a new one.')
  // Looked up at every request: a token outlives neither its user nor the user's environment.
  const user = owner === 'invalid' ? undefined : await access.user(owner.userId)
  if (owner === 'invalid' || user?.environmentId !== owner.environmentId)
    throw new UnknownCallerError('The user token is not valid.')
  return { kind: 'user', ...owner }
}

/** The caller by an API key or a user token. @throws UNAUTHENTICATED */
export const authenticate = async (
  authentication: Authentication,
  authorization: string | undefined,
): Promise<Caller> => {
  if (authorization === undefined)
    throw new UnknownCallerError('Send the API key: Authorization: Bearer <key>.')
  const bearer = BEARER.exec(authorization)?.[1]
  if (bearer === undefined)
    throw new UnknownCallerError('Authorization: expected Bearer and an API key or user token.')
  if (isUserToken(bearer)) return authenticateUser(authentication, bearer)
  const owner = await authentication.access.keyOwner(bearer)
  if (owner === undefined) throw new UnknownCallerError('The API key is not valid.')
  return { kind: 'key', ...owner }
}

/** The caller, if it is the integrator's backend. @throws FORBIDDEN */
export const requireKey = (caller: Caller): KeyCaller => {
  if (caller.kind !== 'key')
    throw new ApiError(
      'FORBIDDEN',
      'A user token does not open this; ask from your backend, with an API key.',
    )
  return caller
}

/** The refusal of a credential that is not there, or is another's: the two are told apart by no one. */
export const noCredential = (): ApiError =>
  new ApiError('CREDENTIAL_NOT_FOUND', 'There is no credential with this credentialId.', [
    { field: 'credentialId', expected: 'the id of a credential of this environment' },
  ])

/** The refusal of an end user who is not there, or is another's. */
export const noUser = (): ApiError =>
  new ApiError('USER_NOT_FOUND', 'There is no end user with this userId.', [
    { field: 'userId', expected: 'the id of an end user of this environment' },
  ])

/** The credential, if it is the caller's to use. @throws CREDENTIAL_NOT_FOUND, INVALID_PARAMETER */
export const resolveCredential = async (
  access: Access,
  caller: Caller,
  credentialId: string | undefined,
): Promise<CredentialFacts> => {
  if (credentialId === undefined || credentialId === '')
    throw invalidParameter('credentialId', 'the id of a credential (required)')
  const credential = await access.credential(credentialId)
  // Another environment's credential is as absent as one that never was.
  if (credential?.environmentId !== caller.environmentId) throw noCredential()
  return credential
}

/** The credentials that one question is put to: exactly one of the three is given. */
export interface Scope {
  readonly credentialId?: string | null | undefined
  readonly credentialIds?: readonly string[] | null | undefined
  /** All credentials of an end user. */
  readonly userId?: string | null | undefined
}

export const MAX_CREDENTIALS = 100

/** @throws CREDENTIAL_NOT_FOUND, USER_NOT_FOUND, INVALID_PARAMETER */
export const resolveScope = async (
  access: Access,
  caller: Caller,
  { credentialId, credentialIds, userId }: Scope,
): Promise<readonly CredentialFacts[]> => {
  const given = [credentialId, credentialIds, userId].filter((value) => value != null)
  if (given.length !== 1)
    throw invalidParameter('credentialId', 'one of credentialId, credentialIds and userId')
  if (userId != null) {
    const credentials = await access.credentialsOfUser(caller.environmentId, userId)
    if (credentials === undefined) throw noUser()
    return credentials
  }
  const ids = credentialIds ?? [credentialId ?? undefined]
  if (ids.length < 1 || ids.length > MAX_CREDENTIALS)
    throw invalidParameter('credentialIds', `1 to ${MAX_CREDENTIALS} ids`)
  const credentials = await Promise.all(ids.map((id) => resolveCredential(access, caller, id)))
  // Named twice, perhaps in another case of letters, a credential is still one.
  return [...new Map(credentials.map((credential) => [credential.id, credential])).values()]
}
