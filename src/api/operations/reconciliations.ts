/** Reconciliations: full listings that report what differed between an app and the store. */

import { describeFailureReason } from '../../definition/failure-reason.ts'
import {
  defineShape,
  enumeration,
  integer,
  list,
  object,
  reference,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  listReconciliations,
  MAX_DIFFERENCES,
  MAX_RECONCILIATIONS,
  type Reconciliation,
  requestReconciliation,
} from '../../store/sync/reconciliations.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import { CREDENTIAL_PATH, credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { requireCredential } from './credential-syncs.ts'
import { EXAMPLE_USER, userId } from './users.ts'

const PATH = `${CREDENTIAL_PATH}/reconciliations`
const EXAMPLE_RECONCILIATION = '0d9c1a52-6f1e-4a0b-b1d7-52f0b9c1c7de'

const reconciliationId = required(reference('reconciliations', 'The reconciliation.'))
const resource = required(text('The topic of the resource, such as `crm/accounts`.'))

const difference = defineShape({
  name: 'ReconciliationDifference',
  doc: 'A record that differed, and was repaired.',
  fields: {
    id: required(text('The id of the record in this API.')),
    remoteId: required(text('The id of the record in the app.')),
    kind: required(
      enumeration('What differed.', {
        created: 'The record was not stored.',
        updated: 'Stored fields differed.',
        deleted: 'The app has deleted the record.',
      }),
    ),
    fields: required(texts('The names of the fields that differed.')),
  },
})

const reconciliation = defineShape({
  name: 'Reconciliation',
  doc: 'A full comparison of the records of one resource in the app with those that are stored.',
  fields: {
    reconciliationId,
    resource,
    state: required(
      enumeration('Its progress.', {
        waiting: 'It waits for the sync of the resource.',
        running: 'It is in progress; the counts are those so far.',
        completed: 'It is completed.',
      }),
    ),
    reason: text(
      'Why it does not advance: the sync of the resource is paused or fails. Null if it does, and once it is completed.',
    ),
    requestedAt: required(timestamp('When it was requested.')),
    startedAt: timestamp('When its listing started; null: it waits.'),
    finishedAt: timestamp('When it was completed; null: it is not.'),
    storedRecords: integer(
      'Number of records that were stored when it started, without those deleted in the app; null: it waits.',
    ),
    appRecords: integer('Number of records that the app has listed; null until the end.'),
    created: required(integer('Records of the app that were not stored.')),
    updated: required(integer('Records whose stored fields differed.')),
    deleted: required(integer('Stored records that the app has deleted.')),
    unlisted: integer(
      'Stored records that the app has not listed and that stay as they are, because the app reports its deletions in another way; null until the end.',
    ),
    differences: required(
      list(difference, `The first ${MAX_DIFFERENCES} of the records that differed.`),
    ),
  },
})

const exampleReconciliation = {
  reconciliationId: EXAMPLE_RECONCILIATION,
  resource: 'commerce/orders',
  state: 'completed',
  reason: null,
  requestedAt: '2026-03-04T17:05:21.412Z',
  startedAt: '2026-03-04T17:05:22.010Z',
  finishedAt: '2026-03-04T17:05:31.733Z',
  storedRecords: 1204,
  appRecords: 1205,
  created: 1,
  updated: 1,
  deleted: 0,
  unlisted: 0,
  differences: [
    {
      id: '5b0e8f6a-0021-5000-8000-0c6f1d2e4b85',
      remoteId: '1877',
      kind: 'updated',
      fields: ['orderStatus'],
    },
  ],
}

const reasonOf = ({ finishedAt, isPaused, problem }: Reconciliation): string | null => {
  if (finishedAt) return null
  if (isPaused) return 'The sync of the resource is paused.'
  return problem && describeFailureReason(problem)
}

const toResult = ({ id, topic, isPaused, problem, ...facts }: Reconciliation) => ({
  ...facts,
  reconciliationId: id,
  resource: topic,
  state: facts.finishedAt ? 'completed' : facts.startedAt ? 'running' : 'waiting',
  reason: reasonOf({ id, topic, isPaused, problem, ...facts }),
  requestedAt: facts.requestedAt.toISOString(),
  startedAt: facts.startedAt?.toISOString() ?? null,
  finishedAt: facts.finishedAt?.toISOString() ?? null,
})

/** @throws NOT_FOUND */
const requireReconciliation = async (
  { database }: OperationContext,
  credentialId: string,
  id: string,
) => {
  const [found] = await listReconciliations(database, { credentialId, id })
  if (!found)
    throw new ApiError(
      'NOT_FOUND',
      'The credential has no reconciliation with this id. The last 20 of each resource are kept.',
    )
  return toResult(found)
}

const common = {
  tag: 'Credentials',
  // The report names records, which only API keys can read.
  callers: ['key'],
} as const

const exampleInput = { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL }
const one = {
  key: 'reconciliation',
  value: object(reconciliation, 'The reconciliation.'),
} as const

export const reconciliationOperations = [
  defineOperation({
    ...common,
    name: 'startReconciliation',
    summary: 'Start a reconciliation of a resource',
    doc: 'Starts a full listing of a resource that counts what differs from the stored records and repairs it. It starts after the sync in progress; if a reconciliation of the resource has not ended, that one is returned. Its requests spend the budget of full listings. Changes that the next sync would have found count as differences too.',
    rest: { method: 'POST', path: PATH },
    path: { userId, credentialId },
    body: { resource },
    response: one,
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: { ...exampleInput, resource: 'commerce/orders' },
      result: {
        ...exampleReconciliation,
        state: 'waiting',
        startedAt: null,
        finishedAt: null,
        storedRecords: null,
        appRecords: null,
        created: 0,
        updated: 0,
        unlisted: null,
        differences: [],
      },
    },
    run: async (context, { resource: topic, ...path }) => {
      const { credentialId } = await requireCredential(context, path)
      const id = await context.database.transaction((transaction) =>
        requestReconciliation(transaction, { credentialId, topic }),
      )
      if (id === undefined)
        throw invalidParameter('resource', 'the topic of a resource of the credential')
      return requireReconciliation(context, credentialId, id)
    },
  }),
  defineOperation({
    ...common,
    name: 'reconciliations',
    summary: 'List the reconciliations of a credential',
    doc: `Returns the reconciliations of a credential, the latest first. The last ${MAX_RECONCILIATIONS} of each resource are kept.`,
    rest: { method: 'GET', path: PATH },
    path: { userId, credentialId },
    query: { resource: text('Only this resource, such as `crm/accounts`.') },
    response: {
      key: 'reconciliations',
      value: list(reconciliation, 'The reconciliations.'),
    },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: { input: exampleInput, result: [exampleReconciliation] },
    run: async (context, { resource: topic, ...path }) => {
      const { credentialId } = await requireCredential(context, path)
      const found = await listReconciliations(context.database, {
        credentialId,
        topic: topic ?? undefined,
      })
      return found.map(toResult)
    },
  }),
  defineOperation({
    ...common,
    name: 'reconciliation',
    summary: 'Get a reconciliation',
    doc: 'Returns a reconciliation with its report.',
    rest: { method: 'GET', path: `${PATH}/:reconciliationId` },
    path: { userId, credentialId, reconciliationId },
    response: one,
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND'],
    example: {
      input: { ...exampleInput, reconciliationId: EXAMPLE_RECONCILIATION },
      result: exampleReconciliation,
    },
    run: async (context, { reconciliationId: id, ...path }) => {
      const { credentialId } = await requireCredential(context, path)
      return requireReconciliation(context, credentialId, id)
    },
  }),
]
