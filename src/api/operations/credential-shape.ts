/** The shape of a credential in the results of operations. */
import { methodOf } from '../../definition/authenticate.ts'
import {
  boolean,
  defineShape,
  integer,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import type { CredentialSummary } from '../../store/accounts/listed-credentials.ts'
import { describeCredential } from '../credential-state.ts'
import { credentialState, credentialType } from '../enumerations.ts'
import { type CallContext, required } from '../operation.ts'
import { app } from './apps.ts'
import { EXAMPLE_USER, userId } from './users.ts'

/** The REST path of one credential. */
export const CREDENTIAL_PATH = '/2024-03/users/:userId/credentials/:credentialId'

export const EXAMPLE_CREDENTIAL = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'

/** The input and output field of a credential's id. */
export const credentialId = required(reference('credentials', 'The credential.'))

const records = required(
  integer('Number of stored records, including those that were deleted in the app.'),
)

/** The fields that a credential and each of its syncs have in common. */
const status = {
  state: required(
    credentialState(
      'The state. A credential is paused while all of its resources are; paused resources do not count otherwise.',
    ),
  ),
  since: timestamp(
    'Since when it is in this state; null once the first sync has completed, and if unknown.',
  ),
  reason: text('Why it fails: the root cause, in words. Null if it does not fail.'),
  action: text('What to do about the state. Null if there is nothing to do.'),
  lastCompletedAt: timestamp('When a sync last completed; null: never.'),
  nextSyncAt: timestamp(
    'When the next sync is due; if the time has passed, it starts as soon as a worker is free. Null: a sync is in progress, or it is paused, or it waits until the app is reconnected.',
  ),
}

/** A credential, as operations return it. */
export const credential = defineShape({
  name: 'Credential',
  doc: "An end user's authorized connection to one app. Its secret values are never returned.",
  fields: {
    credentialId,
    userId,
    app,
    type: required(credentialType('How the app was connected.')),
    createdAt: required(timestamp('When the app was connected.')),
    updatedAt: required(timestamp('When its values were last changed.')),
    label: text(
      "The account's own name in the app, such as the shop's name; null if the app reports none, or it is not known yet.",
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
    webhooks: object(
      defineShape({
        name: 'CredentialWebhooks',
        doc: 'The webhooks that the app sends to this service.',
        fields: {
          active: required(
            boolean(
              'Whether the app has a subscription, or has sent a webhook within the last day. Without webhooks, changes are found by polling.',
            ),
          ),
          lastReceivedAt: timestamp('When the last webhook arrived; null: none has.'),
          path: required(
            text(
              'The path below PUBLIC_URL to which the app sends them, for apps in which it is entered by hand.',
            ),
          ),
          reason: text(
            'Why the app has no subscription; null if it has one, or if the service creates none in this app.',
          ),
        },
      }),
      'The webhooks that the app sends to this service; null: this app sends none.',
    ),
    resources: list(
      defineShape({
        name: 'ResourceSync',
        doc: 'The sync of one resource of a credential.',
        fields: {
          topic: required(text('The resource, such as `crm/accounts`.')),
          ...status,
          syncedAt: timestamp(
            'The start of the last completed sync: all changes that the app had by then are stored. Null: none has completed, or an earlier version of this service ran it.',
          ),
          records,
        },
      }),
      'The sync of each resource, by topic.',
    ),
  },
})

export const exampleCredential = {
  credentialId: EXAMPLE_CREDENTIAL,
  userId: EXAMPLE_USER,
  app: 'vendure',
  type: 'apiKey',
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
  webhooks: {
    active: true,
    lastReceivedAt: '2026-03-04T17:05:20.118Z',
    path: '/webhooks/vendure/2f6f2a0e-7a3c-4b58-9a0b-6d3f0f5f6f11',
    reason: null,
  },
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
      syncedAt: '2026-03-04T17:05:02.604Z',
      records: 1204,
    },
  ],
}

/** A stored credential in that shape. An app or method that was removed counts as the default type. */
export const toResult = (
  { connectors }: Pick<CallContext, 'connectors'>,
  summary: CredentialSummary,
) => ({
  ...describeCredential(summary),
  type: methodOf(connectors.get(summary.app)?.auth ?? {}, summary.method)?.type ?? 'apiKey',
})
