/** The initial content of a new database: the environments, an example user with sandbox credentials, an OAuth client. */
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { createCredential } from '../store/accounts/credentials.ts'
import { ensureEnvironment } from '../store/accounts/environments.ts'
import { saveApiKey } from '../store/accounts/keys.ts'
import { listCredentials } from '../store/accounts/listed-credentials.ts'
import {
  type OAuthClient,
  readOAuthClient,
  setOAuthClient,
} from '../store/accounts/oauth-clients.ts'
import { ensureUser } from '../store/accounts/users.ts'
import { lockName } from '../store/database/advisory-lock.ts'
import type { Database } from '../store/database/database.ts'
import { inOneTransaction } from '../store/database/one-transaction.ts'
import type { Vault } from '../store/secrets/vault.ts'

/** The owner of the environments: one installation serves one integrator. */
export const ORGANISATION = 'Example Inc.'
const USERNAME = 'acme'

export interface FirstStart {
  /** The ids of the development and the production environment. */
  readonly environmentIds: readonly [string, string]
  /** The example user; undefined without the sandbox app. */
  readonly userId: string | undefined
  /** The sandbox credentials of the example user, oldest first. If `isNew`, they are not synced yet. */
  readonly credentialIds: readonly string[]
  readonly isNew: boolean
}

export interface FirstStartOptions {
  readonly database: Database
  readonly vault: Vault
  /** The development key that the operator chose. */
  readonly developmentKey: string | undefined
  /** Undefined: no example user is created. */
  readonly sandbox:
    | {
        readonly connector: Connector
        /** The OAuth client that the sandbox app knows. */
        readonly oauthClient: Pick<OAuthClient, 'clientId' | 'clientSecret'>
        /**
         * Creates the tenants of the example user in the sandbox app, or issues new tokens for them.
         * @returns the credential values of each tenant
         */
        readonly openTenants: () => Promise<readonly CredentialValues[]>
      }
    | undefined
}

/**
 * Creates the organisation, an end user and sandbox credentials where they are missing, in one transaction.
 * If several processes start at the same time, one creates them and the others find them.
 */
export const prepareFirstStart = ({
  database,
  ...options
}: FirstStartOptions): Promise<FirstStart> =>
  inOneTransaction(database, async (bound) => {
    await lockName(bound, 'first-start')
    return prepare({ ...options, database: bound })
  })

const prepare = async ({
  database,
  vault,
  developmentKey,
  sandbox,
}: FirstStartOptions): Promise<FirstStart> => {
  const environmentId = await ensureEnvironment(database, ORGANISATION, 'development')
  const production = await ensureEnvironment(database, ORGANISATION, 'production')
  const environmentIds = [environmentId, production] as const
  if (developmentKey !== undefined) await saveApiKey(database, environmentId, developmentKey)
  if (sandbox === undefined)
    return { environmentIds, userId: undefined, credentialIds: [], isNew: false }

  // Without configuration, the sandbox can be connected by OAuth too.
  const clientKey = { environmentId, app: sandbox.connector.app }
  if (!(await readOAuthClient(database, vault, clientKey)))
    await setOAuthClient(database, vault, clientKey, { ...sandbox.oauthClient, scopes: null })
  const userId = await ensureUser(database, environmentId, USERNAME, 'Acme Trading')
  const known = await listCredentials(database, { environmentId, userId })
  if (known.length > 0) {
    const credentialIds = known.map(({ credentialId }) => credentialId)
    return { environmentIds, userId, credentialIds, isNew: false }
  }
  const credentialIds: string[] = []
  for (const values of await sandbox.openTenants())
    credentialIds.push(
      await createCredential(database, vault, {
        environmentId,
        userId,
        connector: sandbox.connector,
        values,
      }),
    )
  return { environmentIds, userId, credentialIds, isNew: true }
}
