/** The state of one credential, and operations on its syncs: resync, pause and resume. */
import { object, text } from '../../definition/field.ts'
import { invalidParameter } from '../../errors.ts'
import { type CredentialSummary, findCredential } from '../../store/accounts/listed-credentials.ts'
import type { Transaction } from '../../store/database/database.ts'
import {
  pauseCredential,
  resumeCredential,
  resyncCredential,
} from '../../store/sync/sync-control.ts'
import { noCredential } from '../auth/caller.ts'
import { type CallContext, defineOperation, type OperationContext } from '../operation.ts'
import {
  CREDENTIAL_PATH,
  credential,
  credentialId,
  EXAMPLE_CREDENTIAL,
  exampleCredential,
  toResult,
} from './credential-shape.ts'
import { EXAMPLE_USER, scopeOf, userId } from './users.ts'

const tag = 'Credentials'

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
  return toResult(await requireCredential(context, path))
}

const one = {
  callers: ['key', 'user'],
  path: { userId, credentialId },
  response: { key: 'credential', value: object(credential, 'The credential.') },
  errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
} as const

const exampleOne = { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL }

/** The operations on one credential. */
export const credentialSyncOperations = [
  defineOperation({
    ...one,
    name: 'credential',
    summary: 'Get a credential',
    doc: 'Returns a credential with its state and that of the sync of each resource.',
    tag,
    rest: { method: 'GET', path: CREDENTIAL_PATH },
    example: { input: exampleOne, result: exampleCredential },
    run: async (context, input) => toResult(await requireCredential(context, input)),
  }),
  defineOperation({
    ...one,
    name: 'resyncCredential',
    summary: 'Start a full sync of a credential',
    doc: 'Starts a full sync of all resources of a credential, or of one. A paused credential is synced when it is resumed.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resync` },
    query: { topic: text('Only this resource, such as `crm/accounts`.') },
    example: { input: { ...exampleOne, topic: 'commerce/orders' }, result: exampleCredential },
    run: (context, { topic, ...path }) =>
      changeSyncs(context, path, async (transaction, credentialId) => {
        if (!(await resyncCredential(transaction, credentialId, topic ?? undefined)))
          throw invalidParameter('topic', 'the topic of a resource of the credential')
      }),
  }),
  defineOperation({
    ...one,
    name: 'pauseCredential',
    summary: 'Pause the syncs of a credential',
    doc: 'Pauses the syncs of a credential; syncs in progress end at their next page. Writes are still possible.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/pause` },
    example: { input: exampleOne, result: exampleCredential },
    run: (context, input) => changeSyncs(context, input, pauseCredential),
  }),
  defineOperation({
    ...one,
    name: 'resumeCredential',
    summary: 'Resume the syncs of a credential',
    doc: 'Resumes the syncs of a paused credential: they are due immediately and continue where they ended.',
    tag,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resume` },
    example: { input: exampleOne, result: exampleCredential },
    run: (context, input) => changeSyncs(context, input, resumeCredential),
  }),
]
