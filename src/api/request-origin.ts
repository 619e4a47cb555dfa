/** The sender of a request, which the log names if the request fails. */
import type { FastifyRequest } from 'fastify'
import { isUuid } from '../definition/identity.ts'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Access } from '../store/accounts/access.ts'
import type { Caller } from './auth/caller.ts'
import { clientAddressOf } from './http/address.ts'
import { logFailure } from './http/api-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that was returned; undefined: the request has not failed. */
    errorCode: ErrorCode | undefined
    /** The first credential that a GraphQL request named. */
    credentialId: string | undefined
  }
}

/** The request that GraphQL errors belong to. */
export interface RequestOrigin {
  readonly requestId: string
  /** The code of the first error, which may be a user error; undefined: there is none. */
  readonly errorCode: ErrorCode | undefined
  /** Receives the first credential that the request names. */
  noteCredential(credentialId: string): void
  /** Receives each error that is returned, user errors too. `cause`: the thrown value; undefined: the document is invalid. */
  noteError(code: ErrorCode, cause: unknown): void
}

interface Sender {
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly credentialId?: unknown
  readonly address: string
}

/** The logged facts about a sender. */
const factsOf = ({ requestId, caller, credentialId, address }: Sender) => ({
  requestId,
  ...(caller?.kind === 'key' && { keyId: caller.keyId }),
  ...(caller?.kind === 'user' && { userId: caller.userId }),
  // Other text may be a secret in the wrong place.
  ...(typeof credentialId === 'string' && isUuid(credentialId.toLowerCase()) && { credentialId }),
  address,
})

/** The logged facts about the sender of an HTTP request. */
export const originOfRequest = (request: FastifyRequest, trustedProxies: number) => {
  const { id: requestId, caller, query, params } = request
  const named = { ...Object(query), ...Object(params) }
  const credentialId = request.credentialId ?? named.credentialId
  const address = clientAddressOf(request.raw, trustedProxies)
  return factsOf({ requestId, caller, credentialId, address })
}

/** The origin of an operation over a socket. Its errors are logged immediately: the socket may stay open for days. */
export const originOfSocket = (log: Log, sender: Sender): RequestOrigin => {
  let credentialId: string | undefined
  let errorCode: ErrorCode | undefined
  return {
    requestId: sender.requestId,
    get errorCode() {
      return errorCode
    },
    noteCredential: (id) => {
      credentialId ??= id
    },
    noteError: (code, cause) => {
      errorCode ??= code
      const facts = factsOf({ ...sender, credentialId })
      log.info({ ...facts, code }, 'subscription failed')
      if (cause !== undefined) logFailure(log, facts, cause)
    },
  }
}

/** The same access, which reports the credentials that are looked up. */
export const noteCredentials = (access: Access, { noteCredential }: RequestOrigin): Access => ({
  ...access,
  credential: (credentialId) => {
    noteCredential(credentialId)
    return access.credential(credentialId)
  },
})
