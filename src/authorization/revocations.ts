/** Revokes the tokens of credentials that are deleted, in the background. */
import { methodOf, normalize } from '../definition/authenticate.ts'
import type { Connector } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import type { Exchange } from '../outbound/exchange.ts'
import { sendRevocation } from '../outbound/oauth/revocation.ts'
import { readCredential } from '../store/accounts/credentials.ts'
import { readOAuthClient } from '../store/accounts/oauth-clients.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'

export interface RevocationsOptions {
  readonly database: Database
  readonly vault: Vault
  readonly connectors: ReadonlyMap<string, Connector>
  readonly exchange: Pick<Exchange, 'send'>
  readonly log: Log
}

/**
 * Creates a function that reads the tokens of credentials before they are deleted.
 * @returns the function that revokes them once they are; it does not wait, and a failure is only logged
 */
export const createRevocations = ({
  database,
  vault,
  connectors,
  exchange,
  log,
}: RevocationsOptions) => {
  const readRevocation = async (credentialId: string) => {
    const credential = await readCredential(database, vault, credentialId)
    const tokens = credential?.tokens?.tokens
    const connector = credential && connectors.get(credential.app)
    const method = connector && methodOf(connector.auth, credential.method)
    if (!tokens || method?.type !== 'oauth2' || method.revocationUrl === undefined) return
    const { environmentId, app } = credential
    const client = await readOAuthClient(database, vault, { environmentId, app })
    const token = tokens.refreshToken ?? tokens.accessToken
    const values = normalize(method, { ...credential.values, ...tokens.values })
    return client && { app, revocation: { method, values, client, token } }
  }

  return async (credentialIds: readonly string[]): Promise<() => void> => {
    const found = await Promise.all(
      credentialIds.map((id) =>
        readRevocation(id).catch((error) => {
          log.warn({ err: error, credentialId: id }, 'the tokens to revoke could not be read')
          return undefined
        }),
      ),
    )
    return () => {
      for (const one of found)
        if (one)
          sendRevocation(exchange, one.revocation).catch(() =>
            // The error may contain the response.
            log.warn({ app: one.app }, 'a token of a deleted credential could not be revoked'),
          )
    }
  }
}
