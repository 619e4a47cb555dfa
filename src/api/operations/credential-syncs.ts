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

interface CredentialPath {
  readonly userId: string
  readonly credentialId: string
}

/** @throws USER_NOT_FOUND, CREDENTIAL_NOT_FOUND */
export const requireCredential = async (
  context: CallContext,
  { userId, credentialId }: CredentialPath,
): Promise<CredentialSummary> => {
  const scope = await scopeOf(context, userId)
  const found = await findCredential(context.database, { ...scope, credentialId })
  if (found === undefined) throw noCredential()
  return found
}

/** How many resyncs an end user may start per minute and process. */
export const USER_RESYNCS_PER_MINUTE = 10

/** Limits the resyncs of end users, which list all records of an app. @throws RATE_LIMITED */
const limitResyncs = async ({ caller, userResyncs }: CallContext): Promise<void> => {
  if (caller.kind === 'user') userResyncs.check(await userResyncs.count(caller.userId))
}

/** Changes all syncs of a credential, or the sync of one topic. @returns whether the credential has such a sync */
type SyncChange = (
  transaction: Transaction,
  credentialId: string,
  topic?: string,
) => Promise<boolean>

/** Applies a change to an existing credential. @returns the credential afterwards @throws INVALID_PARAMETER */
const changeSyncs = async (
  context: OperationContext,
  { topic, ...path }: CredentialPath & { readonly topic?: string | null | undefined },
  change: SyncChange,
) => {
  const { credentialId } = await requireCredential(context, path)
  const isFound = await context.database.transaction((transaction) =>
    change(transaction, credentialId, topic ?? undefined),
  )
  if (topic != null && !isFound)
    throw invalidParameter('topic', 'the topic of a resource of the credential')
  return toResult(context, await requireCredential(context, path))
}

const one = {
  tag: 'Credentials',
  callers: ['key', 'user'],
  path: { userId, credentialId },
  response: { key: 'credential', value: object(credential, 'The credential.') },
  errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
} as const

const exampleOne = { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL }

const change = {
  ...one,
  query: { topic: text('Only this resource, such as `crm/accounts`.') },
  example: { input: { ...exampleOne, topic: 'commerce/orders' }, result: exampleCredential },
} as const

/** The operations on one credential. */
export const credentialSyncOperations = [
  defineOperation({
    ...one,
    name: 'credential',
    summary: 'Get a credential',
    doc: 'Returns a credential with its state and that of the sync of each resource.',
    rest: { method: 'GET', path: CREDENTIAL_PATH },
    example: { input: exampleOne, result: exampleCredential },
    run: async (context, input) => toResult(context, await requireCredential(context, input)),
  }),
  defineOperation({
    ...change,
    name: 'resyncCredential',
    summary: 'Start a full sync of a credential',
    doc: `Starts a full sync of all resources of a credential, or of one. A paused resource is synced when it is resumed. User tokens of one end user may start ${USER_RESYNCS_PER_MINUTE} per minute and process.`,
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resync` },
    check: limitResyncs,
    run: (context, input) => changeSyncs(context, input, resyncCredential),
  }),
  defineOperation({
    ...change,
    name: 'pauseCredential',
    summary: 'Pause the syncs of a credential',
    doc: 'Pauses the syncs of all resources of a credential, or of one; syncs in progress end at their next page. Records can still be read and written.',
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/pause` },
    run: (context, input) => changeSyncs(context, input, pauseCredential),
  }),
  defineOperation({
    ...change,
    name: 'resumeCredential',
    summary: 'Resume the syncs of a credential',
    doc: 'Resumes the paused syncs of all resources of a credential, or of one: they are due immediately and continue where they ended.',
    rest: { method: 'POST', path: `${CREDENTIAL_PATH}/resume` },
    run: (context, input) => changeSyncs(context, input, resumeCredential),
  }),
]
