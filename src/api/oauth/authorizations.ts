/** The flow of authorizations, as the operations and the routes use it. */
import type { CredentialValues } from '../../definition/auth.ts'
import type { Connector } from '../../definition/connector.ts'
import type { StoredAuthorization } from '../../store/accounts/authorizations.ts'
import type { Database } from '../../store/database/database.ts'

export interface NewAuthorization {
  readonly environmentId: string
  readonly userId: string
  readonly connector: Connector
  /** The name of a method of type `oauth2`. */
  readonly methodName: string
  /** The values that the end user entered. */
  readonly values: CredentialValues
  /** The credential to reconnect, of the same end user and app; null: a new one. */
  readonly credentialId: string | null
}

/** The result of an app's redirect to this service. `unknown`: no authorization waits for this redirect. */
export type AuthorizationOutcome = 'connected' | 'choosing' | 'denied' | 'failed' | 'unknown'

export interface Authorizations {
  /** Creates an authorization, whose URL can be opened once. @throws ApiError OAUTH_NOT_CONFIGURED */
  create(authorization: NewAuthorization): Promise<{
    readonly authorization: StoredAuthorization
    readonly url: string
  }>
  /** Uses a ticket. @returns the redirection to the app; undefined if the ticket is unknown, used or expired */
  open(ticket: string): Promise<
    | {
        readonly location: string
        readonly cookie: { readonly name: string; readonly value: string }
      }
    | undefined
  >
  /** Continues an authorization after the app's redirect, once. `cookieName`: the cookie to delete. */
  complete(
    parameters: URLSearchParams,
    readCookie: (name: string) => string | undefined,
  ): Promise<{
    readonly outcome: AuthorizationOutcome
    readonly cookieName?: string
  }>
  /**
   * Checks the account that the end user chose with a request to the app.
   * @returns the step that stores the credential, and returns its id
   * @throws ApiError AUTHORIZATION_ENDED, INVALID_PARAMETER, and those of the check of a credential
   */
  chooseAccount(
    authorization: StoredAuthorization,
    accountId: string,
  ): Promise<(database: Database) => Promise<string>>
}
