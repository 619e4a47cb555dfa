/** A connection that the end user is about to make. */
import type { ConnectableApp, ConnectableAppField, Credential } from '../../generated/sdk-types.ts'

/** One way to connect an app. */
export interface ConnectMethod {
  readonly method: string
  readonly type: 'apiKey' | 'oauth2' | 'session' | 'clientCredentials'
  readonly label: string | null
  readonly available: boolean
  readonly fields: readonly ConnectableAppField[]
}

/** The ways to connect an app, in the order in which they are offered. */
export const methodsOf = (app: ConnectableApp): readonly ConnectMethod[] =>
  Object(app).methods ?? [
    { method: app.type, type: 'apiKey', label: null, available: true, fields: app.fields },
  ]

/** The app to connect, or an account of it to connect again. */
export interface Connection {
  readonly app: ConnectableApp
  /** The account to connect again, which keeps its id; undefined: a new one. */
  readonly credential?: Credential
  readonly onConnected: (credentialId: string) => void
  readonly back: (() => void) | undefined
}

/** The state of an authorization by OAuth. */
export interface Authorization {
  readonly authorizationId: string
  /** The address at which the end user signs in to the app. It can be opened once. */
  readonly url: string | null
  readonly state: 'pending' | 'choosing' | 'connected' | 'denied' | 'failed' | 'expired'
  readonly reason: string | null
  readonly accounts: readonly { readonly accountId: string; readonly label: string }[]
  readonly credentialId: string | null
}
