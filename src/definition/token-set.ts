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
