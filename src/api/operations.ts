/** Every operation other than record operations, in the order of the documentation. */
import type { Operation } from './operation.ts'
import { appOperations } from './operations/apps.ts'
import { authorizationOperations } from './operations/authorizations.ts'
import { changeOperations } from './operations/changes.ts'
import { credentialBudgetOperations } from './operations/credential-budget.ts'
import { credentialFieldOperations } from './operations/credential-fields.ts'
import { credentialLists } from './operations/credential-lists.ts'
import { credentialRequestOperations } from './operations/credential-requests.ts'
import { credentialSyncOperations } from './operations/credential-syncs.ts'
import { credentialOperations } from './operations/credentials.ts'
import { customFieldOperations } from './operations/custom-fields.ts'
import { installationOperations } from './operations/installations.ts'
import { integrationSecretOperations } from './operations/integration-secrets.ts'
import { integrationOperations } from './operations/integrations.ts'
import { keyOperations } from './operations/keys.ts'
import { oauthClientOperations } from './operations/oauth-clients.ts'
import { passthroughOperations } from './operations/passthrough.ts'
import { pastRecordOperations } from './operations/past-records.ts'
import { reconciliationOperations } from './operations/reconciliations.ts'
import { userOperations } from './operations/users.ts'
import { webhookDeliveryOperations } from './operations/webhook-deliveries.ts'
import { webhookOperations } from './operations/webhooks.ts'
import { workflowRunOperations } from './operations/workflow-runs.ts'

export const operations: readonly Operation[] = [
  ...userOperations,
  ...credentialLists,
  ...credentialOperations,
  ...credentialSyncOperations,
  ...credentialBudgetOperations,
  ...reconciliationOperations,
  ...credentialRequestOperations,
  ...authorizationOperations,
  ...appOperations,
  ...oauthClientOperations,
  ...customFieldOperations,
  ...credentialFieldOperations,
  ...integrationOperations,
  ...integrationSecretOperations,
  ...installationOperations,
  ...workflowRunOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...keyOperations,
  ...changeOperations,
  ...pastRecordOperations,
  ...passthroughOperations,
]
