/** Credentials: the connections of end users to apps. */
import { firstMethodName, methodOf } from '../../definition/authenticate.ts'
import type { Connector } from '../../definition/connector.ts'
import { boolean, json, object, text } from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  countCredentials,
  createCredential,
  deleteCredential,
  type NewCredential,
  TooManyCredentialsError,
} from '../../store/accounts/credentials.ts'
import { findCredential } from '../../store/accounts/listed-credentials.ts'
import { reviveCredential } from '../../store/accounts/revive-credential.ts'
import { isForeignKeyViolation } from '../../store/database/database.ts'
import { noCredential, noUser } from '../auth/caller.ts'
import { readCredentialValues, requireApp } from '../credential-input.ts'
import { type CallContext, defineOperation, type InputOf, required } from '../operation.ts'
import { app } from './apps.ts'
import {
  CREDENTIAL_PATH,
  credential,
  credentialId,
  EXAMPLE_CREDENTIAL,
  exampleCredential,
  toResult,
} from './credential-shape.ts'
import { EXAMPLE_USER, requireUser, userId } from './users.ts'

const tag = 'Credentials'

const credentialValues = required(
  json(
    'The values of the fields that the app requires, by name. See GET /2024-03/metadata/credentials.',
  ),
)

const newCredential = {
  userId,
  app,
  method: text(
    'The method of the app: see GET /2024-03/metadata/credentials. Default: the first one without OAuth.',
  ),
  credential: credentialValues,
  requireResponse: boolean(
    'Whether to return APP_UNAVAILABLE if the app does not respond to the check. Default: false. The app is then connected anyway, and its sync fails until it responds.',
  ),
}

/** The requested method, or the first one without OAuth. @throws NOT_SUPPORTED, INVALID_PARAMETER */
const requireEnteredMethod = (
  { name, auth }: Connector,
  requested: string | null | undefined,
): string => {
  const names = Object.entries(auth).flatMap(([method, { type }]) =>
    type === 'oauth2' ? [] : [method],
  )
  const [first] = names
  if (first === undefined)
    throw new ApiError(
      'NOT_SUPPORTED',
      `${name} is connected with OAuth. Use POST /2024-03/headless/authorizations.`,
    )
  if (requested == null || names.includes(requested)) return requested ?? first
  throw invalidParameter('method', `one of ${names.join(', ')}`)
}

const readNewCredential = async (
  context: CallContext,
  input: InputOf<typeof newCredential>,
): Promise<NewCredential & { readonly method: string }> => {
  const connector = requireApp(context, input.app)
  const method = requireEnteredMethod(connector, input.method)
  const values = readCredentialValues(connector, method, input.credential)
  const { environmentId } = context.caller
  const userId = await requireUser(context, input.userId)
  return { environmentId, userId, connector, method, values }
}

const credentialUpdate = { userId, credentialId, credential: credentialValues }

/** The existing credential with its new values. @throws CREDENTIAL_NOT_FOUND, NOT_SUPPORTED, INVALID_PARAMETER */
const readUpdate = async (context: CallContext, input: InputOf<typeof credentialUpdate>) => {
  const { environmentId } = context.caller
  const scope = { environmentId, userId: await requireUser(context, input.userId) }
  const found = await findCredential(context.database, {
    ...scope,
    credentialId: input.credentialId,
  })
  if (found === undefined) throw noCredential()
  const connector = context.connectors.get(found.app)
  const method = connector && (found.method ?? firstMethodName(connector.auth))
  if (!connector || !method || methodOf(connector.auth, method)?.type === 'oauth2')
    throw new ApiError(
      'NOT_SUPPORTED',
      'The app was connected with OAuth. Reconnect it with POST /2024-03/headless/authorizations.',
    )
  const values = readCredentialValues(connector, method, input.credential)
  return { ...scope, id: found.credentialId, connector, method, values }
}

const written = {
  payloadField: 'credential',
  value: object(credential, 'The credential.'),
} as const

/** The credential after a write. @throws CREDENTIAL_NOT_FOUND */
const readWritten = async (
  context: CallContext,
  { environmentId, userId }: Pick<NewCredential, 'environmentId' | 'userId'>,
  credentialId: string,
) => {
  const scope = { environmentId, userId, credentialId }
  const found = await findCredential(context.database, scope)
  if (found === undefined) throw noCredential()
  return toResult(context, found)
}

/** The error for one more credential of an end user than the limit. */
export const tooManyCredentials = (limit: number): ApiError =>
  new ApiError(
    'CREDENTIAL_LIMIT',
    `The end user has ${limit} credentials, the limit (MAX_CREDENTIALS_PER_USER). Delete an unused one.`,
  )

export const credentialOperations = [
  defineOperation({
    name: 'createCredential',
    summary: 'Create a credential',
    doc: 'Connects an app for an end user. The values are checked with a request to the app; then the first sync starts. The credential has a state from then on.',
    tag,
    rest: { method: 'POST', path: '/2024-03/headless/credentials', shows: ['credentialId'] },
    callers: ['key', 'user'],
    body: newCredential,
    response: written,
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_LIMIT',
      'NOT_SUPPORTED',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
      'APP_UNAVAILABLE',
    ],
    example: {
      input: {
        userId: EXAMPLE_USER,
        app: 'vendure',
        credential: { url: 'https://shop.example.com', apiKey: 'a1b2c3' },
      },
      result: exampleCredential,
    },
    check: async (context, input) => {
      const { connector, userId, ...credential } = await readNewCredential(context, input)
      const limit = context.maxCredentialsPerUser
      // Before the app is called, because a call may create data there, e.g. a company in the sandbox.
      if ((await countCredentials(context.database, userId)) >= limit)
        throw tooManyCredentials(limit)
      return context.checkCredential(connector, credential, input.requireResponse ?? false)
    },
    run: async (context, input) => {
      const { database, vault, maxCredentialsPerUser: limit } = context
      const credential = await readNewCredential(context, input)
      try {
        const checked = { ...credential, ...context.checked }
        const credentialId = await createCredential(database, vault, checked, limit)
        return await readWritten(context, credential, credentialId)
      } catch (error) {
        if (error instanceof TooManyCredentialsError) throw tooManyCredentials(limit)
        // The end user was deleted in between.
        throw isForeignKeyViolation(error) ? noUser() : error
      }
    },
  }),
  defineOperation({
    name: 'updateCredential',
    summary: 'Update the values of a credential',
    doc: 'Connects the app again with new values, such as a new API key. The values are checked with a request to the app. The credential keeps its id and records, and its syncs resume. If a value that is no secret or the name of the account has changed, such as the address of a shop, all records are listed again. If it is another account, records that it does not have are marked as deleted then. An app that was connected with OAuth is reconnected with POST /2024-03/headless/authorizations.',
    tag,
    rest: { method: 'PUT', path: CREDENTIAL_PATH, shows: ['credentialId'] },
    callers: ['key', 'user'],
    path: { userId, credentialId },
    body: { credential: credentialValues },
    response: written,
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_NOT_FOUND',
      'NOT_SUPPORTED',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
    ],
    example: {
      input: {
        userId: EXAMPLE_USER,
        credentialId: EXAMPLE_CREDENTIAL,
        credential: { url: 'https://shop.example.com', apiKey: 'd4e5f6' },
      },
      result: exampleCredential,
    },
    check: async (context, input) => {
      const { connector, method, values } = await readUpdate(context, input)
      return context.checkCredential(connector, { method, values }, false)
    },
    run: async (context, input) => {
      const { database, vault } = context
      const update = { ...(await readUpdate(context, input)), ...context.checked }
      if (!(await reviveCredential(database, vault, update))) throw noCredential()
      return readWritten(context, update, update.id)
    },
  }),
  defineOperation({
    name: 'deleteCredential',
    summary: 'Delete a credential',
    doc: 'Disconnects an app: deletes the credential and its records in this service. Its tokens are revoked in the background, if the app can do that.',
    tag,
    rest: { method: 'DELETE', path: CREDENTIAL_PATH },
    callers: ['key', 'user'],
    path: { userId, credentialId },
    response: { key: 'credentialId', value: credentialId },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL },
      result: EXAMPLE_CREDENTIAL,
    },
    check: ({ prepareUnsubscribe, caller: { environmentId } }, { userId, credentialId }) =>
      prepareUnsubscribe({ environmentId, userId, credentialId }),
    run: async ({ database, access, caller, onCommit, checked, prepareRevocation }, input) => {
      const { environmentId } = caller
      const { userId, credentialId } = input
      const facts = await access.credential(credentialId)
      const isOwn = facts?.environmentId === environmentId
      const revoke = await prepareRevocation(isOwn ? [facts.id] : [])
      const outcome = await deleteCredential(database, environmentId, userId, credentialId)
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      const deleted = credentialId.toLowerCase()
      onCommit(() => {
        access.forgetCredential(deleted)
        checked?.()
        revoke()
      })
      return deleted
    },
  }),
]
