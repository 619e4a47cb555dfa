import type { CredentialValues } from './auth.ts'

/** The tokens that an app issued for a credential. */
export interface TokenSet {
  readonly accessToken: string
  /** Absent: the access token cannot be renewed without the end user, or is bought with the entered values. */
  readonly refreshToken?: string
  /** When the access token expires, ISO 8601 by the database's clock; absent: when the app rejects it. */
  readonly expiresAt?: string
  /** The values that the token response contained, by name, such as the address of the account. */
  readonly values: CredentialValues
}

/** The tokens of a credential as they are stored. */
export interface StoredTokens {
  /** Raised with each renewal. */
  readonly version: number
  /** Undefined: the app has issued none yet. */
  readonly tokens: TokenSet | undefined
  /** When they were stored, in milliseconds since 1970 by the database's clock. */
  readonly storedMs: number
  /** Why the app issues no more tokens, so that the end user must reconnect it; undefined: it does. */
  readonly failure: string | undefined
}
