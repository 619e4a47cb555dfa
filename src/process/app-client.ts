/** The client for apps, with the access tokens of their credentials. */
import type { Log } from '../log.ts'
import {
  createExchange,
  EXCHANGE_LIMITS,
  type Exchange,
  type ExchangeOptions,
} from '../outbound/exchange.ts'
import { type AppClient, type AppClientOptions, createAppClient } from '../outbound/http.ts'
import { createTokenEndpoint, type TokenEndpoint } from '../outbound/oauth/token-endpoint.ts'
import { readOAuthClient } from '../store/accounts/oauth-clients.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { RenewalTimes } from '../tokens/renewal-times.ts'
import { createTokenRenewal } from '../tokens/token-renewal.ts'

/** The dependencies and settings of the client. */
export interface AppClientDependencies
  extends Pick<ExchangeOptions, 'allowPrivateAddresses' | 'proxy' | 'localAddress' | 'localApps'>,
    Pick<AppClientOptions, 'budgets' | 'onRequest' | 'requestLog'> {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly renewalTimes?: Partial<RenewalTimes>
}

/** Opens the client. Its `stop` also ends the requests of the token endpoint. */
export const openAppClient = (
  options: AppClientDependencies,
): {
  readonly appClient: AppClient
  readonly tokenEndpoint: TokenEndpoint
  readonly exchange: Exchange
} => {
  const { database, vault, clock, log, budgets, onRequest, requestLog, ...others } = options
  const { renewalTimes = {}, ...egress } = others
  const nowMs = (): number => clock.nowMs()
  const exchange = createExchange({ ...EXCHANGE_LIMITS, ...egress })
  const tokenEndpoint = createTokenEndpoint({ exchange, nowMs })
  const tokens = createTokenRenewal({
    database,
    vault,
    log,
    nowMs,
    times: renewalTimes,
    endpoint: tokenEndpoint,
    loadClient: (key) => readOAuthClient(database, vault, key),
    login: (...request) => appClient.login(...request),
  })
  const appClient: AppClient = createAppClient({
    ...egress,
    exchange,
    tokens,
    onRequest,
    requestLog,
    ...(budgets && { budgets }),
  })
  return { appClient, tokenEndpoint, exchange }
}
