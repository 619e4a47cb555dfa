/**
 * A simulator of a vendor's API: one engine, and a profile for each vendor.
 *
 * A profile is made from the vendor's contract and documentation, never from a connector of ours, so that a
 * misunderstanding in the connector shows. Whatever a profile does not declare is rejected in the vendor's own error
 * form: path, method, query parameter, header with a meaning, body field, type, enum value, scope. Every response is
 * checked against the contract as well: a response that does not fit is a defect of the simulator; the client gets
 * status 500, `defects` has it, and `stop()` throws.
 *
 * ## Use it in a test
 *
 *     await using app = await start({ clients: [client] })      // test/simulators/quickbooks/start.ts
 *     const company = app.addCompany('4620816365', 'Acme')      // each profile has controls of its own
 *     company.create('Customer', { DisplayName: 'Amy' })        // what the app's own users do
 *     const { accessToken } = app.oauth.issue(company.id)       // or through the consent page, in a browser
 *     app.faults.add({ kind: 'lost-response' }, { method: 'POST' })
 *     app.clock.advance(3_600_000)                              // tokens expire, limits reset
 *     app.clock.skew(-3_600_000)                                // the vendor's clock is wrong by an hour
 *     app.oauth.expireAccessTokens()                            // or `revokeGrants`: the user disconnects
 *     app.webhooks.subscribe({ id: 'app', url, secret })
 *     app.webhooks.disturbNext({ duplicates: 1, reversed: true })
 *     await app.webhooks.deliver()                              // sends what is due by the vendor's clock
 *     app.limits.set('requests per second', createWindow(app.clock, { max: 2, periodMs: 1000 }))
 *     app.journal.find({ method: 'POST' })
 *
 * `createSimulator` is the same without a socket: `respond({ method, url, headers, body })` returns the response;
 * `client.ts` wraps it. `node test/simulators/serve.ts <profile> --port 8090` runs a simulator as a process.
 *
 * ## Write a profile
 *
 * `example-profile.ts` is the smallest one. A folder `test/simulators/<vendor>/` has `profile.ts` (a `Profile`),
 * `start.ts` (exports `start`, which the script uses, and the vendor's own controls), `NOTES.md` (what could not be
 * verified) and tests next to the folder. The parts:
 *
 * - `Profile.routes`: path templates with their parameters, headers, body check, scopes, response check, `respond`.
 *   `respond` gets a `Call` and returns a `Reply`; it throws `ReplyError` to respond with an error of the vendor.
 * - `contract.ts`: `createContract({ $defs })` compiles JSON Schema and rejects open objects; `checkOf(name)` is the
 *   check of a body or a response. Another source of checks (GraphQL introspection) only needs the type `Check`.
 * - `Profile.refuse`: the vendor's error form for what the engine rejects (`Refusal`); `Profile.errorBody` checks it.
 * - `store.ts`: records by type, ids in series, change log, derived views, `listAsOf` for an index that lags,
 *   `transaction` for writes with side effects. `version` is the source of lock tokens.
 * - `pages.ts`: pages by position or after a key, and cursors that cannot be made up.
 * - `limits.ts`: counts in sliding or fixed periods, concurrency, buckets of points. Declare them in
 *   `Profile.limits`; a limit whose cost is known only while responding is used in `respond`. `responseHeaders` gets
 *   their state.
 * - `oauth/policy.ts`: paths, scopes, PKCE, client authentication, lifetimes, rotation, grace, callback parameters,
 *   parameters that the vendor does without, introspection, error form.
 * - `webhooks.ts`: events of changes, batches, signature, retries.
 * - `idempotency.ts`, `decimal.ts`: repeated writes; exact amounts.
 */
import { type Accounts, createAccounts } from './accounts.ts'
import { type Clock, type ClockOptions, createClock } from './clock.ts'
import { createFaults, type Faults } from './faults.ts'
import { createJournal, type Journal } from './journal.ts'
import { createLiveLimits, type LiveLimits } from './live-limits.ts'
import {
  type AuthorizationServer,
  createAuthorizationServer,
} from './oauth/authorization-server.ts'
import type { OAuthClient } from './oauth/policy.ts'
import type { ArrivedRequest, Profile } from './profile.ts'
import { createResponder, type SentReply, type StartedResponse } from './responder.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

export interface SimulatorOptions {
  readonly clock?: ClockOptions
  /** The registered OAuth clients. Default: `client-id` with `client-secret`, without redirect addresses. */
  readonly clients?: readonly OAuthClient[]
  /** Whether the profile's limits apply. Default: true. */
  readonly limited?: boolean
}

export interface Simulator {
  readonly profile: Profile
  readonly clock: Clock
  readonly accounts: Accounts
  readonly oauth: AuthorizationServer
  readonly faults: Faults
  readonly journal: Journal
  readonly webhooks: Webhooks
  /** The limits of the profile, by name. */
  readonly limits: LiveLimits
  /** Responses that did not fit the contract, and exceptions. */
  readonly defects: readonly string[]
  /**
   * The response to a request.
   * @throws if a fault prevents the response
   */
  respond(request: ArrivedRequest): Promise<SentReply>
  /** Begins the response to a request; the listener ends it. */
  begin(request: ArrivedRequest): Promise<StartedResponse>
  /** @throws if there are defects */
  assertSound(): void
}

export const createSimulator = (profile: Profile, options: SimulatorOptions = {}): Simulator => {
  const { clients, limited = true } = options
  const clock = createClock(options.clock)
  const webhooks = createWebhooks(profile.webhooks, clock)
  const accounts = createAccounts(clock, (account) =>
    account.store.onChange((change) => webhooks.announce(change, account)),
  )
  const oauth = createAuthorizationServer({
    vendor: profile.name,
    policy: profile.oauth,
    clients,
    accounts,
    clock,
  })
  const faults = createFaults()
  const journal = createJournal()
  const limits = createLiveLimits(limited ? (profile.limits ?? []) : [], clock)
  const defects: string[] = []
  const controls = { clock, accounts, oauth, faults, journal, webhooks, limits }
  const begin = createResponder({ profile, defects, ...controls })

  const respond = async (request: ArrivedRequest): Promise<SentReply> => {
    const { reply, fault, end } = await begin(request)
    end()
    if (reply === undefined) throw new Error(`No response because of the fault ${fault?.kind}`)
    return reply
  }
  const assertSound = (): void => {
    if (defects.length > 0) throw new Error(`Defects of ${profile.name}:\n${defects.join('\n')}`)
  }
  return { profile, ...controls, defects, respond, begin, assertSound }
}
