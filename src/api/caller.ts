/** The caller of a request, and the credentials that a question may be put to. */
import { ApiError, invalidParameter } from '../errors.ts'
import type { Access, CredentialFacts, KeyOwner } from '../store/access.ts'

export type Caller = KeyOwner

// RFC 9110, section 11.1: the scheme is a word in any case. RFC 6750, section 2.1: the token's characters.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** What `WWW-Authenticate` says beside every 401 (RFC 9110, section 11.6.1). */
export const CHALLENGE = 'Bearer'

/** @throws UNAUTHENTICATED */
export const authenticate = async (
  access: Access,
  authorization: string | undefined,
): Promise<Caller> => {
  if (authorization === undefined)
    throw new ApiError('UNAUTHENTICATED', 'Send the API key: Authorization: Bearer <key>.')
  const key = BEARER.exec(authorization)?.[1]
  if (key === undefined)
    throw new ApiError('UNAUTHENTICATED', 'Authorization: expected Bearer and an API key.')
  const caller = await access.keyOwner(key)
  if (caller === undefined) throw new ApiError('UNAUTHENTICATED', 'The API key is not valid.')
  return caller
}

const noCredential = (): ApiError =>
  new ApiError('CREDENTIAL_NOT_FOUND', 'There is no credential with this credentialId.', [
    { field: 'credentialId', expected: 'the id of a credential of this environment' },
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
    if (credentials === undefined)
      throw new ApiError('USER_NOT_FOUND', 'There is no end user with this userId.', [
        { field: 'userId', expected: 'the id of an end user of this environment' },
      ])
    return credentials
  }
  const ids = credentialIds ?? [credentialId ?? undefined]
  if (ids.length < 1 || ids.length > MAX_CREDENTIALS)
    throw invalidParameter('credentialIds', `1 to ${MAX_CREDENTIALS} ids`)
  const credentials = await Promise.all(ids.map((id) => resolveCredential(access, caller, id)))
  // Named twice, perhaps in another case of letters, a credential is still one.
  return [...new Map(credentials.map((credential) => [credential.id, credential])).values()]
}
