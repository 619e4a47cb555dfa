/** Credentials: the connections of end users to apps. */
import { firstMethodName } from '../../definition/authenticate.ts'
import { boolean, json, list, reference, text } from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import {
  countCredentials,
  createCredential,
  deleteCredential,
  type NewCredential,
  TooManyCredentialsError,
} from '../../store/accounts/credentials.ts'
import { listCredentials } from '../../store/accounts/listed-credentials.ts'
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
import { EXAMPLE_USER, pageParameters, readPage, requireUser, scopeOf, userId } from './users.ts'

const tag = 'Credentials'

const newCredential = {
  userId,
  app,
  credential: required(
    json(
      'The values of the fields that the app requires, by name. See GET /2024-03/metadata/credentials.',
    ),
  ),
  requireResponse: boolean(
    'Whether to return APP_UNAVAILABLE if the app does not respond to the check. Default: false. The app is then connected anyway, and its state is `failing` until it responds.',
  ),
}

const readNewCredential = async (
  context: CallContext,
  input: InputOf<typeof newCredential>,
): Promise<NewCredential & { readonly method: string }> => {
  const connector = requireApp(context, input.app)
  const method = firstMethodName(connector.auth)
  const values = readCredentialValues(connector, method, input.credential)
  const { environmentId } = context.caller
  const userId = await requireUser(context, input.userId)
  return { environmentId, userId, connector, method, values }
}

/** The error for one more credential of an end user than the limit. */
export const tooManyCredentials = (limit: number): ApiError =>
  new ApiError(
    'CREDENTIAL_LIMIT',
    `The end user has ${limit} credentials, the limit (MAX_CREDENTIALS_PER_USER). Delete an unused one.`,
  )

export const credentialOperations = [
  defineOperation({
    name: 'credentials',
    summary: 'List credentials',
    doc: 'Returns the credentials of the environment, of one end user or of one app, oldest first, without their secret values.',
    tag,
    rest: { method: 'GET', path: '/2024-03/credentials' },
    callers: ['key', 'user'],
    query: {
      userId: reference('users', 'Only credentials of this end user.'),
      app: text('Only credentials of this app, such as `vendure`.'),
      ...pageParameters,
    },
    response: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER, app: 'vendure' }, result: [exampleCredential] },
    run: async (context, { userId: requestedUser, app, ...page }) => {
      const filter = { ...(await scopeOf(context, requestedUser)), app: app ?? undefined }
      const found = await listCredentials(context.database, filter, readPage(page))
      return found.map((summary) => toResult(context, summary))
    },
  }),
  defineOperation({
    name: 'userCredentials',
    summary: 'List the credentials of an end user',
    doc: 'Returns the credentials of an end user, oldest first, without their secret values.',
    tag,
    rest: { method: 'GET', path: '/2024-03/users/:userId/credentials' },
    callers: ['key', 'user'],
    path: { userId },
    response: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: [exampleCredential] },
    run: async (context, input) => {
      const found = await listCredentials(context.database, await scopeOf(context, input.userId))
      return found.map((summary) => toResult(context, summary))
    },
  }),
  defineOperation({
    name: 'createCredential',
    summary: 'Create a credential',
    doc: 'Connects an app for an end user. The values are checked with a request to the app; then the first sync starts. The credential has a state from then on.',
    tag,
    rest: { method: 'POST', path: '/2024-03/headless/credentials' },
    callers: ['key', 'user'],
    body: newCredential,
    response: { key: 'credentialId', value: credentialId },
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_LIMIT',
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
      result: EXAMPLE_CREDENTIAL,
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
        return await createCredential(database, vault, { ...credential, ...context.checked }, limit)
      } catch (error) {
        if (error instanceof TooManyCredentialsError) throw tooManyCredentials(limit)
        // The end user was deleted in between.
        throw isForeignKeyViolation(error) ? noUser() : error
      }
    },
  }),
  defineOperation({
    name: 'deleteCredential',
    summary: 'Delete a credential',
    doc: 'Disconnects an app: deletes the credential and its records in this service.',
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
    run: async ({ database, access, caller, onCommit }, input) => {
      const { environmentId } = caller
      const { userId, credentialId } = input
      const outcome = await deleteCredential(database, environmentId, userId, credentialId)
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      const deleted = credentialId.toLowerCase()
      onCommit(() => access.forgetCredential(deleted))
      return deleted
    },
  }),
]
