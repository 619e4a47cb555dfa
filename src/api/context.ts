/** What every operation of the API works with. */
import type { Catalogue } from '../definition/catalogue.ts'
import type {
  AppRequest,
  AppResponse,
  Connector,
  CredentialValues,
  Json,
} from '../definition/connector.ts'
import type { Subscriptions } from '../delivery/subscription.ts'
import type { RecordWriter } from '../query/write-request.ts'
import type { Access } from '../store/access.ts'
import type { Database } from '../store/database.ts'
import type { IdempotentRequests } from '../store/idempotent-requests.ts'
import type { Vault } from '../store/vault.ts'
import type { UserTokens } from './tokens.ts'

export interface ApiContext {
  readonly database: Database
  readonly access: Access
  readonly vault: Vault
  readonly tokens: UserTokens
  readonly catalogue: Catalogue
  /** Whether a host, as an address names it, is one that notifications may be sent to. */
  readonly isDialled: (hostname: string) => boolean
  /** The definition of a workflow, if it is one. @throws INVALID_PARAMETER naming what is wrong below `place` */
  readonly readWorkflow: (definition: unknown, place: string) => Json
  readonly writer: RecordWriter
  readonly subscriptions: Subscriptions
  /** Asks an app with a credential, as it is. @throws ApiError */
  readonly passthrough: (credentialId: string, request: AppRequest) => Promise<AppResponse>
  /** Asks an app whether it accepts what a credential would hold. @throws ApiError if it does not */
  readonly checkCredential: (connector: Connector, values: CredentialValues) => Promise<void>
  readonly idempotentRequests: IdempotentRequests
  /** The apps that can be connected, by name. */
  readonly connectors: ReadonlyMap<string, Connector>
}
