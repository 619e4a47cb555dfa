/** Deletes the subscriptions of credentials in their apps after the credentials were deleted. */
import type { Connector } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import { classifyFailure } from '../outbound/classify-failure.ts'
import type { AppClient } from '../outbound/http.ts'
import { type OpenCredential, readCredential } from '../store/accounts/credentials.ts'
import type { Database } from '../store/database/database.ts'
import { listRemoteSubscriptions } from '../store/inbound/subscriptions.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { runInApp, TIMEOUT_MS } from './context.ts'

/** The dependencies of the deletion. */
export interface UnsubscriberOptions {
  readonly database: Database
  readonly vault: Vault
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: Log
}

/** The credentials that will be deleted: all of an end user, or one. */
export interface DeletedCredentials {
  readonly environmentId: string
  readonly userId: string
  readonly credentialId?: string
}

/**
 * Creates a function that reads the subscriptions of credentials that will be deleted. The function that it returns
 * starts to delete them in their apps, without waiting. Failures are only logged: an app that still delivers receives
 * 410.
 */
export const createUnsubscriber = (options: UnsubscriberOptions) => {
  const { database, vault, connectors, appClient, log } = options
  const ending = new AbortController().signal

  const unsubscribe = async (credential: OpenCredential, ids: readonly string[]): Promise<void> => {
    const connector = connectors.get(credential.app)
    const webhooks = connector?.webhooks
    if (!connector || !webhooks?.subscription) return
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const app = { connector, webhooks, credential, appClient, signal, ending }
    try {
      for (const id of ids) await runInApp(app, webhooks.subscription.delete(id))
    } catch (error) {
      const { code, reason } = classifyFailure(error)
      const facts = { credentialId: credential.id, app: credential.app, code, reason }
      log.warn(facts, 'the webhook subscription of a deleted credential remains in its app')
    }
  }

  return async (deleted: DeletedCredentials): Promise<() => void> => {
    const subscriptions = await listRemoteSubscriptions(database, deleted)
    const opened = await Promise.all(
      subscriptions.map(async ({ credentialId, remoteIds }) => ({
        // Values that cannot be decrypted prevent no deletion.
        credential: await readCredential(database, vault, credentialId).catch(() => undefined),
        remoteIds,
      })),
    )
    return () => {
      for (const { credential, remoteIds } of opened)
        if (credential) void unsubscribe(credential, remoteIds)
    }
  }
}
