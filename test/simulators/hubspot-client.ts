/** A HubSpot portal without a socket, for tests. */
import { type Client, createClient, type ParsedReply } from './client.ts'
import { createHubSpot, type HubSpotStartOptions } from './hubspot/start.ts'

export const PORTAL = '62515'

export const NOON = Date.parse('2026-11-23T17:00:00.250Z')

/** A portal with an owner, and a client with every scope or these. */
export const openPortal = (options: HubSpotStartOptions = {}, scopes?: readonly string[]) => {
  const clock = { startMs: NOON, frozen: true }
  const simulator = createHubSpot({ limited: false, searchLagMs: 0, clock, ...options })
  const portal = simulator.addPortal(PORTAL, 'Acme')
  const owner = portal.addOwner('olive@example.com', 'Olive', 'Owner')
  const { accessToken } = simulator.oauth.issue(PORTAL, scopes && { scopes })
  const client = createClient(simulator, accessToken)
  /** `path` follows `/crm` and contains `V` in place of the version. */
  const send: Client = (method, path, request) =>
    client(method, `/crm${path.replace('/V', '/2026-03')}`, request)
  const post = (path: string, body: unknown) => send('POST', path, { body })
  return { simulator, portal, owner, accessToken, client, send, post }
}

/** The status, and the category or policy of an error. */
export const errorOf = ({ status, json }: ParsedReply) => [status, json.category ?? json.policyName]

/** The ids of the results. */
export const idsOf = ({ json }: ParsedReply): string[] =>
  json.results.map(({ id }: { readonly id: string }) => id)

/** The body of a new association. */
export const linkTo = (id: unknown, associationTypeId: number) => ({
  to: { id },
  types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }],
})
