/** Credentials: the connections of end users to apps. */
import {
  boolean,
  defineShape,
  enumeration,
  integer,
  json,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  countCredentials,
  createCredential,
  deleteCredential,
  type NewCredential,
  TooManyCredentialsError,
} from '../../store/accounts/credentials.ts'
import {
  type CredentialSummary,
  findCredential,
  listCredentials,
} from '../../store/accounts/listed-credentials.ts'
import { isForeignKeyViolation, type Transaction } from '../../store/database/database.ts'
import {
  pauseCredential,
  resumeCredential,
  resyncCredential,
} from '../../store/sync/sync-control.ts'
import { noCredential, noUser } from '../auth/caller.ts'
import { readCredentialValues, requireApp } from '../credential-input.ts'
import { CONNECTION_STATES, describeCredential } from '../credential-state.ts'
import {
  type CallContext,
  defineOperation,
  type InputOf,
  type OperationContext,
  required,
} from '../operation.ts'
import { app, CREDENTIAL_TYPE } from './apps.ts'
import { EXAMPLE_USER, pageParameters, readPage, requireUser, scopeOf, userId } from './users.ts'

const tag = 'Credentials'

export const EXAMPLE_CREDENTIAL = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'

const credentialId = required(reference('credentials', 'The credential.'))

const records = required(
  integer('Number of stored records, including those that were deleted in the app.'),
)

/** The fields that a credential and each of its syncs have in common. */
const status = {
  state: required(
    enumeration(
      '`connected` · `syncing`: the first sync is in progress · `failing`: the sync fails and is retried · `needs_reconnect`: the app rejects the credential · `paused`: nothing is synced until it is resumed.',
      CONNECTION_STATES,
      { enumName: 'ConnectionState' },
    ),
  ),
  since: timestamp(
    'Since when it is `syncing`, `failing`, `needs_reconnect` or `paused`; null if unknown.',
  ),
  reason: text('Why it fails: the root cause, in words. Null if it does not fail.'),
  action: text('What to do about the state. Null if there is nothing to do.'),
  lastCompletedAt: timestamp('When a sync last completed; null: never.'),
  nextSyncAt: timestamp(
    'When the next sync is due; a time in the past waits for a free place. Null: a sync is in progress, or the credential is paused.',
  ),
}

const credential = defineShape({
  name: 'Credential',
  doc: "An end user's authorized connection to one app. Its secret values are never returned.",
  fields: {
    credentialId,
    userId,
    app,
    type: required(text('How the app was connected: `apiKey`.')),
    createdAt: required(timestamp('When the app was connected.')),
    updatedAt: required(timestamp('When its values were last changed.')),
    label: text(
      "The account's own name in the app, such as the shop's name; null if the app reports none.",
    ),
    ...status,
    counts: required(
      object(
        defineShape({
          name: 'CredentialCounts',
          doc: 'The progress of the sync of a credential.',
          fields: {
            records,
            resources: required(integer('Number of resources that are synced.')),
            resourcesCompleted: required(
              integer('Number of resources whose first sync has completed.'),
            ),
          },
        }),
        'The progress of the sync.',
      ),
    ),
    resources: list(
      defineShape({
        name: 'ResourceSync',
        doc: 'The sync of one resource of a credential.',
        fields: {
          topic: required(text('The resource, such as `crm/accounts`.')),
          ...status,
          records,
        },
      }),
      'The sync of each resource, by topic.',
    ),
  },
})

const exampleCredential = {
  credentialId: EXAMPLE_CREDENTIAL,
  userId: EXAMPLE_USER,
  app: 'vendure',
  type: CREDENTIAL_TYPE,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
  label: 'Harbour Light',
  state: 'failing',
  since: '2026-03-04T17:05:21.412Z',
  reason: 'nothing answers at 203.0.113.7:443: connection refused (ECONNREFUSED)',
  action:
    'Check that the app is running and that its address is correct. The sync is retried automatically.',
  lastCompletedAt: '2026-03-04T17:05:03.871Z',
  nextSyncAt: '2026-03-04T17:13:40.006Z',
  counts: { records: 1204, resources: 1, resourcesCompleted: 1 },
  resources: [
    {
      topic: 'commerce/orders',
      state: 'failing',
      since: '2026-03-04T17:05:21.412Z',
      reason: 'nothing answers at 203.0.113.7:443: connection refused (ECONNREFUSED)',
      action:
        'Check that the app is running and that its address is correct. The sync is retried automatically.',
      lastCompletedAt: '2026-03-04T17:05:03.871Z',
      nextSyncAt: '2026-03-04T17:13:40.006Z',
      records: 1204,
    },
  ],
}

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
): Promise<NewCredential> => {
  const connector = requireApp(context, input.app)
  const values = readCredentialValues(connector, input.credential)
  const { environmentId } = context.caller
  return { environmentId, userId: await requireUser(context, input.userId), connector, values }
}

const tooManyCredentials = (limit: number): ApiError =>
  new ApiError(
    'CREDENTIAL_LIMIT',
    `The end user has ${limit} credentials, the limit (MAX_CREDENTIALS_PER_USER). Delete an unused one.`,
  )

const withType = (summary: CredentialSummary) => ({
  ...describeCredential(summary),
  type: CREDENTIAL_TYPE,
})

interface CredentialPath {
  readonly userId: string
  readonly credentialId: string
}

/** @throws USER_NOT_FOUND, CREDENTIAL_NOT_FOUND */
const requireCredential = async (
  context: CallContext,
  { userId, credentialId }: CredentialPath,
): Promise<CredentialSummary> => {
  const scope = await scopeOf(context, userId)
  const found = await findCredential(context.database, { ...scope, credentialId })
  if (found === undefined) throw noCredential()
  return found
}

/** Changes the syncs of an existing credential. @returns the credential afterwards */
const changeSyncs = async (
  context: OperationContext,
  path: CredentialPath,
  change: (transaction: Transaction, credentialId: string) => Promise<unknown>,
) => {
  const { credentialId } = await requireCredential(context, path)
  await context.database.transaction((transaction) => change(transaction, credentialId))
  return withType(await requireCredential(context, path))
}

const one = {
  callers: ['key', 'user'],
  path: { userId, credentialId },
  answer: { key: 'credential', value: object(credential, 'The credential.') },
  errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
} as const

const exampleOne = { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL }
const CREDENTIAL_PATH = '/2024-03/users/:userId/credentials/:credentialId'

export const credentialOperations = [
  defineOperation({
    name: 'credentials',
    doc: 'The credentials of the environment, of one end user or of one app, oldest first.',
    tag,
    rest: { method: 'GET', path: '/2024-03/credentials' },
    callers: ['key', 'user'],
    query: {
      userId: reference('users', 'Only credentials of this end user.'),
      app: text('Only credentials of this app, such as `vendure`.'),
      ...pageParameters,
    },
    answer: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER, app: 'vendure' }, result: [exampleCredential] },
    run: async (context, { userId: requestedUser, app, ...page }) => {
      const filter = { ...(await scopeOf(context, requestedUser)), app: app ?? undefined }
      return (await listCredentials(context.database, filter, readPage(page))).map(withType)
    },
  }),
  defineOperation({
    name: 'userCredentials',
    doc: 'The credentials of one end user, oldest first.',
    tag,
    rest: { method: 'GET', path: '/2024-03/users/:userId/credentials' },
    callers: ['key', 'user'],
    path: { userId },
    answer: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: [exampleCredential] },
    run: async (context, input) =>
      (await listCredentials(context.database, await scopeOf(context, input.userId))).map(withType),
  }),
  defineOperation({
    ...one,
    name: 'credential',
    doc: 'One credential with its state and that of the sync of each resource.',
    tag,
    rest: { method: 'GET', path: CREDENTIAL_PATH },
    example: { given: exampleOne, result: exampleCredential },
    run: async (context, input) => withType(await requireCredential(context, input)),
  }),
  defineOperation({
    name: 'createCredential',
    doc: 'Connects an app for an end user. The values are checked with a request to the app; then the first sync starts. The credential has a state from then on.',
    tag,
    rest: { method: 'POST', path: '/2024-03/headless/credentials' },
    callers: ['key', 'user'],
    body: newCredential,
    answer: { key: 'credentialId', value: credentialId },
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_LIMIT',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
      'APP_UNAVAILABLE',
    ],
    example: {
      given: {
        userId: EXAMPLE_USER,
        app: 'vendure',
        credential: { url: 'https://shop.example.com', apiKey: 'a1b2c3' },
      },
      result: EXAMPLE_CREDENTIAL,
    },
    check: async (context, input) => {
      const { connector, values, userId } = await readNewCredential(context, input)
      const limit = context.maxCredentialsPerUser
      // Before the app is called, because a call may create data there, e.g. a company in the sandbox.
      if ((await countCredentials(context.database, userId)) >= limit)
        throw tooManyCredentials(limit)
      return context.checkCredential(connector, values, input.requireResponse ?? false)
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
    ...one,
    name: 'resyncCredential',
    doc: 'Starts a full sync of all resources of a credential, or of one. A paused credential is synced when it is resumed.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resync` },
    query: { topic: text('Only this resource, such as `crm/accounts`.') },
    example: { given: { ...exampleOne, topic: 'commerce/orders' }, result: exampleCredential },
    run: (context, { topic, ...path }) =>
      changeSyncs(context, path, async (transaction, credentialId) => {
        if (!(await resyncCredential(transaction, credentialId, topic ?? undefined)))
          throw invalidParameter('topic', 'the topic of a resource of the credential')
      }),
  }),
  defineOperation({
    ...one,
    name: 'pauseCredential',
    doc: 'Pauses the syncs of a credential; syncs in progress end at their next page. Writes are still possible.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/pause` },
    example: { given: exampleOne, result: exampleCredential },
    run: (context, input) => changeSyncs(context, input, pauseCredential),
  }),
  defineOperation({
    ...one,
    name: 'resumeCredential',
    doc: 'Resumes the syncs of a paused credential: they are due immediately and continue where they ended.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resume` },
    example: { given: exampleOne, result: exampleCredential },
    run: (context, input) => changeSyncs(context, input, resumeCredential),
  }),
  defineOperation({
    name: 'deleteCredential',
    doc: 'Disconnects an app: deletes the credential and its records in this service.',
    tag,
    rest: { method: 'DELETE', path: CREDENTIAL_PATH },
    callers: ['key', 'user'],
    path: { userId, credentialId },
    answer: { key: 'credentialId', value: credentialId },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      given: { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL },
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
