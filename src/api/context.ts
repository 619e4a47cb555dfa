/** The dependencies of the API's operations. */
import type { Catalogue } from '../definition/catalogue.ts'
import type {
  AppRequest,
  AppResponse,
  Connector,
  CredentialValues,
  Json,
} from '../definition/connector.ts'
import type { AppField } from '../definition/custom-field.ts'
import type { Subscriptions } from '../delivery/subscription.ts'
import type { RecordWriter } from '../query/write-request.ts'
import type { Access } from '../store/accounts/access.ts'
import type { NewCredential } from '../store/accounts/credentials.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { IdempotencyStore } from '../store/writes/idempotent-requests.ts'
import type { RateLimit } from './auth/rate-limits.ts'
import type { UserTokens } from './auth/tokens.ts'
import type { Freshness } from './freshness.ts'
import type { Authorizations } from './oauth/authorizations.ts'

export interface ApiContext {
  readonly database: Database
  readonly access: Access
  readonly vault: Vault
  readonly tokens: UserTokens
  readonly catalogue: Catalogue
  /** Whether webhooks may be sent to a hostname: it is not a private address. */
  readonly isPublicHost: (hostname: string) => boolean
  /** The static IP address of outbound requests; undefined: none is configured. */
  readonly egressAddress: string | undefined
  /** Validates a workflow definition. @throws INVALID_PARAMETER naming the field below `path` */
  readonly readWorkflow: (definition: unknown, path: string) => Json
  readonly writer: RecordWriter
  readonly freshness: Freshness
  readonly subscriptions: Subscriptions
  /** Sends a request to an app with a stored credential and returns the response unchanged. @throws ApiError */
  readonly passthrough: (credentialId: string, request: AppRequest) => Promise<AppResponse>
  /** Reads the fields that an app describes. @throws ApiError */
  readonly describeFields: (credentialId: string, topic: string) => Promise<readonly AppField[]>
  /**
   * Checks new credential values with a request to the app. @throws ApiError if the app rejects them, or with
   * `requireResponse` if it does not respond
   */
  readonly checkCredential: (
    connector: Connector,
    credential: { readonly method: string | null; readonly values: CredentialValues },
    requireResponse: boolean,
  ) => Promise<Pick<NewCredential, 'label' | 'checkFailure'>>
  /**
   * Reads the webhook subscriptions of credentials that will be deleted. The result deletes them in their apps, without
   * waiting.
   */
  readonly prepareUnsubscribe: (deleted: {
    readonly environmentId: string
    readonly userId: string
    readonly credentialId?: string
  }) => Promise<() => void>
  readonly authorizations: Authorizations
  /**
   * Reads the tokens of credentials before they are deleted. @returns the function that revokes them in the background
   * once they are
   */
  readonly prepareRevocation: (credentialIds: readonly string[]) => Promise<() => void>
  /** The redirect URI to register with apps; undefined: PUBLIC_URL is not configured. */
  readonly redirectUri: () => string | undefined
  /** Maximum number of credentials of one end user. */
  readonly maxCredentialsPerUser: number
  /** Limit of the resyncs that end users start, by user id. */
  readonly userResyncs: RateLimit
  readonly idempotencyStore: IdempotencyStore
  /** The apps that can be connected, by name. */
  readonly connectors: ReadonlyMap<string, Connector>
}
