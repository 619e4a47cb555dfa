/** The API of a process: what it answers, and the live changes that its subscribers hear. */
import type { ApiContext } from '../api/context.ts'
import { createServer } from '../api/server.ts'
import type { Config } from '../config.ts'
import { addConnectRoutes } from '../connect/routes.ts'
import { createLiveChanges } from '../delivery/live-changes.ts'
import { createSubscriptions } from '../delivery/subscription.ts'
import { catalogue } from '../generated/registry.ts'
import { loadIntegrations } from '../integrations-file.ts'
import { createHostJudge } from '../outbound/address.ts'
import { describePortOwner } from '../port-owner.ts'
import { createIdempotentRequests } from '../store/idempotent-requests.ts'
import { createWorkflowReader } from '../workflows/reader.ts'
import type { Foundation } from './foundation.ts'

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

/** What an address is refused for that names no other process. */
const listenFailure = (error: unknown, { port, host }: Config): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return new Error(`HOST: expected an address of this machine, not ${host} (${code}).`)
    case 'EACCES':
      return new Error(`PORT: ${port} is not for this user to listen on (${code}).`)
    default:
      return error
  }
}

const portTaken = async ({ port, host }: Config): Promise<Error> => {
  const owner = await describePortOwner(port, host)
  return new Error(
    `Port ${port} on ${host} is taken${owner === undefined ? '' : ` by ${owner}`}. Stop it, or set PORT.`,
  )
}

/** Starts the API. @returns its address: `http://127.0.0.1:4000` */
export const startApi = async (foundation: Foundation): Promise<string> => {
  const { config, log, shutdown, database, answers, notices, vault, access, tokens } = foundation
  const { feed, writer, connectors, passthrough, checkCredential, firstStart } = foundation
  const live = createLiveChanges({ database, feed, log })
  live.start()
  shutdown.add('live changes', () => live.stop())
  const context: ApiContext = {
    ...{ database: answers, access, vault, tokens, catalogue, connectors, writer },
    ...{ passthrough, checkCredential },
    subscriptions: createSubscriptions({ database: answers, live }),
    // What an app has done is noted, however long that takes.
    idempotentRequests: createIdempotentRequests(database, vault),
    readWorkflow: createWorkflowReader(catalogue, connectors),
    isDialled: createHostJudge(config.allowPrivateAddresses),
  }
  if (config.integrationsFile !== undefined)
    await loadIntegrations(context, firstStart.environmentIds, config.integrationsFile)
  const server = createServer({
    ...{ context, log, graphiql: config.graphiql },
    requestsPerMinute: config.requestsPerMinute,
    authFailuresPerMinute: config.authFailuresPerMinute,
    trustedProxies: config.trustedProxies,
    maxConnections: config.maxConnections,
    maxConnectionsPerKey: config.maxConnectionsPerKey,
    // Its heartbeat is answered, each second: whoever asks takes no connection, and does not wait.
    isReady: () => notices.connected,
    addPages: addConnectRoutes,
  })
  shutdown.add('server', () => server.close())
  try {
    return await server.listen({ port: config.port, host: config.host })
  } catch (error) {
    throw isPortTaken(error) ? await portTaken(config) : listenFailure(error, config)
  }
}
