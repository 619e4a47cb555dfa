/** Keeps the subscription of a credential in its app: creates it, renews it, and creates it again if it was lost. */
import { methodOf, normalize } from '../definition/authenticate.ts'
import type { RemoteSubscription, WebhookTarget } from '../definition/inbound.ts'
import { exponentialPauseMs, requestedPauseMs } from '../outbound/backoff.ts'
import type { ClassifiedFailure } from '../outbound/classify-failure.ts'
import { addSharedEndpoint } from '../store/inbound/endpoints.ts'
import {
  type AcquiredSubscription,
  saveCheck,
  saveRemote,
  saveSecret,
} from '../store/inbound/subscriptions.ts'
import { newWebhookSecret } from '../store/secrets/webhook-secrets.ts'
import { requestRuns } from '../store/sync/sync-age.ts'
import {
  type ConnectedApp,
  failureIn,
  type InboundContext,
  runInApp,
  webhookPath,
} from './context.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** A silent subscription is looked up this often, one that delivers once a day. */
const SILENT_MS = HOUR_MS
// More than the time between two checks.
const RENEW_BEFORE_MS = 1.5 * DAY_MS

interface Check extends InboundContext {
  readonly app: ConnectedApp
  readonly subscription: AcquiredSubscription
}

const placeOf = ({ id, environmentId }: AcquiredSubscription) =>
  ({ kind: 'inbound', environmentId, id }) as const

/** The address and the secret; a new secret is stored before the app learns it. */
const targetOf = async ({ database, vault, publicUrl, app, subscription }: Check) => {
  const { id, lease, sealedSecret } = subscription
  const address = `${publicUrl}${webhookPath(app.connector.app, id)}`
  const place = placeOf(subscription)
  if (sealedSecret) return { address, secret: vault.open(place, sealedSecret) }
  const secret = newWebhookSecret()
  await saveSecret(database, lease, vault.seal(place, secret))
  return { address, secret }
}

const save = async (
  { database, vault, subscription }: Check,
  { ids, secret, expiresAt }: RemoteSubscription,
): Promise<void> => {
  if (secret !== undefined)
    await saveSecret(database, subscription.lease, vault.seal(placeOf(subscription), secret))
  await saveRemote(database, subscription.lease, ids, expiresAt)
}

/** Deletes subscriptions in the app. Its failures are ignored: a delivery to an unknown address is rejected. */
const deleteAll = async ({ app }: Check, ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const steps = app.webhooks.subscription?.delete(id)
    if (steps) await runInApp(app, steps).catch((error: unknown) => failureIn(app, error))
  }
}

/** The subscription as it is in the app afterwards; undefined: it has not changed. */
const ensure = async (
  check: Check,
  target: WebhookTarget,
): Promise<RemoteSubscription | undefined> => {
  const { app, subscription, log } = check
  const { remoteIds, expiresInMs } = subscription
  const remote = app.webhooks.subscription
  if (!remote) return
  const listed = remote.list && (await runInApp(app, remote.list()))
  const ours = listed?.filter(({ address }) => address === target.address).map(({ id }) => id)
  const isThere = remoteIds.length > 0 && (!ours || remoteIds.every((id) => ours.includes(id)))
  const isExpiring = expiresInMs !== null && expiresInMs < RENEW_BEFORE_MS
  if (isThere && !isExpiring) return
  if (isThere && remote.renew && (expiresInMs ?? 0) > 0)
    return runInApp(app, remote.renew(remoteIds, target))
  // Also one whose creation succeeded without a response.
  await deleteAll(check, [...new Set([...(ours ?? []), ...(isThere ? remoteIds : [])])])
  const created = await runInApp(app, remote.create(target))
  const { credentialId } = subscription
  log.info(
    { credentialId, app: app.connector.app, wasLost: remoteIds.length > 0 },
    'subscribed to the webhooks of an app',
  )
  return created
}

/** Until the next check of a subscription that exists. @param changed it as it is now, if it has changed */
const nextInMs = (
  { clock, subscription }: Check,
  changed: RemoteSubscription | undefined,
): number => {
  const { receivedAgeMs, expiresInMs } = subscription
  const isSilent = changed !== undefined || receivedAgeMs === null || receivedAgeMs > SILENT_MS
  const everyMs = isSilent ? SILENT_MS : DAY_MS
  const renewedMs = changed?.expiresAt && Date.parse(changed.expiresAt) - clock.nowMs()
  const leftMs = changed ? renewedMs : expiresInMs
  return typeof leftMs === 'number' ? Math.min(everyMs, Math.max(MINUTE_MS, leftMs / 2)) : everyMs
}

/** Plans the next attempt. An app repeats a rejection until someone changes a setting there. */
const planRetry = ({ code, reason, retryAfterMs }: ClassifiedFailure, count: number) => {
  const isUnavailable = code === 'APP_UNAVAILABLE' || code === 'APP_RATE_LIMITED'
  const pauseMs = exponentialPauseMs(isUnavailable ? MINUTE_MS : HOUR_MS, count, DAY_MS)
  return { nextInMs: Math.max(requestedPauseMs(retryAfterMs), pauseMs), failure: { reason, count } }
}

/** The company of a credential, in the form of events; undefined if the app has none. */
const companyOf = ({ connector, webhooks, credential }: ConnectedApp): string | undefined => {
  const method = methodOf(connector.auth, credential.method)
  if (webhooks.company === undefined || !method) return undefined
  return normalize(method, credential.values)[webhooks.company]
}

/** Checks a subscription and stores the result. @throws LeaseLostError, or the reason of the signal if it is aborted */
export const checkSubscription = async (
  context: InboundContext,
  app: ConnectedApp,
  subscription: AcquiredSubscription,
): Promise<void> => {
  const { database, log } = context
  const { lease, credentialId, checkFailures } = subscription
  const { webhooks, credential } = app
  const company = companyOf(app)
  const check = { ...context, app, subscription }
  if (webhooks.scope === 'app')
    await addSharedEndpoint(database, credential.environmentId, credential.app)
  if (!webhooks.subscription) return saveCheck(database, lease, { company, nextInMs: DAY_MS })
  try {
    const changed = await ensure(check, await targetOf(check))
    if (changed) await save(check, changed)
    // Changes that were not delivered in between.
    if (changed && subscription.remoteIds.length > 0)
      await requestRuns(
        database,
        webhooks.topics.map((topic) => ({ credentialId, topic })),
      )
    await saveCheck(database, lease, { company, nextInMs: nextInMs(check, changed) })
  } catch (error) {
    const failure = failureIn(app, error)
    const { code, reason } = failure
    if (code === 'INTERNAL')
      log.error({ credentialId, err: error }, 'the webhook subscription was not checked')
    else if (checkFailures === 0)
      log.warn(
        { credentialId, code, reason },
        'the app has no webhook subscription for a credential',
      )
    await saveCheck(database, lease, { company, ...planRetry(failure, checkFailures + 1) })
  }
}
