/** A connection that the end user is about to make. */
import type { ConnectableApp, ConnectableAppMethod, Credential } from '../../generated/sdk-types.ts'

/** The app to connect, or an account of it to connect again. */
export interface NewConnection {
  readonly app: ConnectableApp
  /** The account to connect again, which keeps its id; undefined: a new one. */
  readonly credential?: Credential
  readonly onConnected: (credentialId: string) => void
  readonly back: (() => void) | undefined
}

/** The ways to make the connection: an account is connected again in the same way. */
export const methodsOf = ({
  app: { methods },
  credential,
}: NewConnection): readonly ConnectableAppMethod[] => {
  const same = methods.filter(({ type }) => type === credential?.type)
  return same.length > 0 ? same : methods
}
