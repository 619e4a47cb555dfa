/** The API of a process: its HTTP server, and the live changes for its subscribers. */
import { createRateLimit } from '../api/auth/rate-limits.ts'
import type { ApiContext } from '../api/context.ts'
import { createFreshness } from '../api/freshness.ts'
import type { TrustedDocuments } from '../api/graphql/trusted-documents.ts'
import { addInboundRoutes } from '../api/http/inbound-webhooks.ts'
import { addOAuthRoutes } from '../api/oauth/routes.ts'
import { addSandboxRoutes } from '../api/oauth/sandbox-routes.ts'
import { USER_RESYNCS_PER_MINUTE } from '../api/operations/credential-syncs.ts'
import { createServer } from '../api/server.ts'
import { redirectUriOf } from '../authorization/authorization-request.ts'
import { createAuthorizations } from '../authorization/authorizations.ts'
import { createRevocations } from '../authorization/revocations.ts'
import { addConnectRoutes } from '../connect/routes.ts'
import type { WebhookHandler } from '../definition/inbound.ts'
import { createLiveChanges, type LiveChanges } from '../delivery/live-changes.ts'
import { createSubscriptions } from '../delivery/subscription.ts'
import type { WindowLimits } from '../delivery/window.ts'
import { catalogue } from '../generated/registry.ts'
import { createReceiver } from '../inbound/receive.ts'
import { createUnsubscriber } from '../inbound/unsubscribe.ts'
import { createHostPolicy } from '../outbound/address.ts'
import { readCredential } from '../store/accounts/credentials.ts'
import { readOAuthClient } from '../store/accounts/oauth-clients.ts'
import { createIdempotencyStore } from '../store/writes/idempotent-requests.ts'
import { createWorkflowReader } from '../workflows/reader.ts'
import { createDescribeFields } from '../write/describe-fields.ts'
import type { Config } from './config.ts'
import type { FirstStart } from './first-start.ts'
import { loadIntegrations } from './integrations-file.ts'
import { describePortOwner } from './port-owner.ts'
import type { Runtime } from './runtime.ts'
import { readTrustedDocuments } from './trusted-documents-file.ts'

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

/** The error for an address that cannot be used for another reason than a taken port. */
const listenFailure = (error: unknown, { port, host }: Config): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return new Error(`HOST: expected an address of this machine, not ${host} (${code}).`)
    case 'EACCES':
      return new Error(`PORT: this user is not allowed to listen on port ${port} (${code}).`)
    default:
      return error
  }
}

const portTaken = async ({ port, host }: Config): Promise<Error> => {
  const owner = await describePortOwner(port)
  return new Error(
    `Port ${port} on ${host} is taken${owner === undefined ? '' : ` by ${owner}`}. Stop that process, or set PORT to another port.`,
  )
}

const createReceiverOf = (
  { requestDatabase, vault, clock, connectors, log, metrics }: Runtime,
  publicUrl: string,
): WebhookHandler =>
  createReceiver({
    database: requestDatabase,
    vault,
    clock,
    connectors,
    log,
    publicUrl,
    readClientSecrets: async (environmentId, app) => {
      const client = await readOAuthClient(requestDatabase, vault, { environmentId, app })
      return client ? [client.webhookSecret ?? client.clientSecret] : []
    },
    onDelivery: metrics?.onInboundWebhook,
  })

/** The address at which a development service is reached if PUBLIC_URL is not configured. */
const localUrl = ({ host, port }: Config, server: FastifyServer): string => {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host
  const [bound] = server.addresses()
  const boundPort = typeof bound === 'object' ? bound.port : port
  return `http://${name.includes(':') ? `[${name}]` : name}:${boundPort}`
}

const trustedDocumentsOf = ({
  trustedDocuments,
  trustedDocumentsOnly,
}: Config): TrustedDocuments | undefined =>
  trustedDocuments === undefined
    ? undefined
    : { texts: readTrustedDocuments(trustedDocuments), isRequired: trustedDocumentsOnly }

type FastifyServer = ReturnType<typeof createServer>

export interface Api {
  readonly server: FastifyServer
  readonly context: ApiContext
  readonly live: LiveChanges
}

/**
 * Creates the API, which does not listen yet.
 * @param window how much of the change log is kept in memory for subscribers
 * @param credentialId a credential for the examples of a development service
 */
export const createApi = (runtime: Runtime, window?: WindowLimits, credentialId?: string): Api => {
  const { config, log, logger, shutdown, database, requestDatabase, vault, access, tokens } =
    runtime
  const {
    metrics,
    findUnreadiness,
    changeSignal,
    writer,
    connectors,
    passthrough,
    checkCredential,
  } = runtime
  const { appClient, tokenEndpoint, exchange, sandbox } = runtime
  const live = createLiveChanges({ database, changeSignal, log, ...(window && { window }) })
  live.start()
  shutdown.add('live changes', () => live.stop())
  const publicUrl = (): string | undefined =>
    config.publicUrl ?? (config.isDevelopment ? localUrl(config, server) : undefined)
  const redirectUri = (): string | undefined => {
    const url = publicUrl()
    return url && redirectUriOf(url)
  }
  const authorizations = createAuthorizations({
    // Not the request pool: what an app has authorized is stored however long that takes.
    database,
    vault,
    connectors,
    appClient,
    tokenEndpoint,
    checkCredential,
    maxCredentialsPerUser: config.maxCredentialsPerUser,
    publicUrl,
    log,
  })
  const context: ApiContext = {
    database: requestDatabase,
    access,
    vault,
    tokens,
    catalogue,
    connectors,
    writer,
    freshness: createFreshness(requestDatabase),
    passthrough,
    checkCredential,
    describeFields: createDescribeFields({
      database,
      connectors,
      appClient,
      loadCredential: (id) => readCredential(database, vault, id),
    }),
    prepareUnsubscribe: createUnsubscriber(runtime),
    authorizations,
    prepareRevocation: createRevocations({ database, vault, connectors, exchange, log }),
    redirectUri,
    maxCredentialsPerUser: config.maxCredentialsPerUser,
    userResyncs: createRateLimit({
      name: 'resync',
      counted: 'resyncs of one end user',
      perMinute: USER_RESYNCS_PER_MINUTE,
    }),
    subscriptions: createSubscriptions({ database: requestDatabase, live }),
    // Not the request pool: the outcome of a write is recorded however long that takes.
    idempotencyStore: createIdempotencyStore(database, vault),
    readWorkflow: createWorkflowReader(catalogue, connectors),
    isPublicHost: createHostPolicy(config.egress.allowPrivateAddresses),
    egressAddress: config.egressAddress,
  }
  const server = createServer({
    context,
    log,
    logger,
    graphiql: config.graphiql,
    trustedDocuments: trustedDocumentsOf(config),
    prefill: config.isDevelopment ? { credentialId } : undefined,
    requestsPerMinute: config.requestsPerMinute,
    authFailuresPerMinute: config.authFailuresPerMinute,
    trustedProxies: config.trustedProxies,
    maxConnections: config.maxConnections,
    maxConnectionsPerKey: config.maxConnectionsPerKey,
    findUnreadiness,
    addPages: (pages) => {
      addConnectRoutes(pages)
      addOAuthRoutes(pages, authorizations)
      if (sandbox) addSandboxRoutes(pages, (request) => sandbox.authorize(request, redirectUri()))
      if (config.publicUrl !== undefined)
        addInboundRoutes(pages, createReceiverOf(runtime, config.publicUrl))
    },
    onRequest: metrics?.onRequest,
    onOperation: metrics?.onOperation,
  })
  metrics?.readAtScrape({ live })
  shutdown.add('server', () => server.close())
  return { server, context, live }
}

/** Starts the API. @returns its address: `http://127.0.0.1:4000` */
export const startApi = async (
  runtime: Runtime,
  { environmentIds, credentialIds }: FirstStart,
): Promise<string> => {
  const { config, retry } = runtime
  const { server, context } = createApi(runtime, undefined, credentialIds[0])
  const { integrationsFile } = config
  if (integrationsFile !== undefined)
    await retry('define the integrations', () =>
      loadIntegrations(context, environmentIds, integrationsFile),
    )
  try {
    return await server.listen({ port: config.port, host: config.host })
  } catch (error) {
    throw isPortTaken(error) ? await portTaken(config) : listenFailure(error, config)
  }
}
