/**
 * The definition of a connector: the ways to connect an app, the requests to send and how to read the
 * responses. A connector does no I/O: it builds requests and interprets responses. It can be tested with
 * recorded responses, and the engine decides on retries, timeouts and addresses.
 */

import type { AuthMethods } from './auth.ts'
import { commonValueNames } from './authenticate.ts'
import { checkAuth } from './check-auth.ts'
import { type ContextDefinition, checkContext } from './context.ts'
import type { AppField } from './custom-field.ts'
import { type ChangeFeeds, checkFeeds, feedKeyOf } from './feed.ts'
import { checkWebhooks, type Webhooks } from './inbound.ts'
import type { Json } from './json.ts'
import type { Mapping } from './mapping.ts'
import { checkRequestLimits, type RequestLimits } from './request-limits.ts'
import type { Category } from './resource.ts'
import type { AppRequest, AppResponse, Steps, WriteInput } from './steps.ts'
import { checkSync, type SyncDefinition } from './sync.ts'

export type { CredentialValues } from './auth.ts'
export type { Json } from './json.ts'
export {
  type AppRequest,
  type AppResponse,
  missingValue,
  orUndo,
  type Steps,
  type WriteInput,
  WriteRejection,
} from './steps.ts'

/**
 * A failure that an app reports. `conflict`: the record has another version than the one that the request
 * names · `absent`: the app has no such record · `expired`: the app no longer accepts the token or the cursor of
 * a listing, so everything is listed again.
 */
export interface AppFailure {
  readonly kind:
    | 'authentication'
    | 'refused'
    | 'conflict'
    | 'absent'
    | 'expired'
    | 'rate-limited'
    | 'unavailable'
  /** The app's own error message. */
  readonly reason: string
  /** The field that the app rejects, under the app's own name: `lines.0.quantity`. */
  readonly field?: string
  readonly retryAfterMs?: number
  /** Of `rate-limited`: the name of the declared limit that is used up, if the app names it. */
  readonly limit?: string
}

/** The position of a listing. It is stored between pages and survives a restart. */
export interface ListPosition {
  /** Only records changed at or after this instant, ISO 8601; undefined: all records. */
  readonly since: string | undefined
  /** Only changes since the listing that returned this token; undefined: all records. */
  readonly token?: Json | undefined
  /** The connector's cursor of the page; undefined: the first page. */
  readonly cursor: Json | undefined
  /** The context of the account; absent if the connector declares none. */
  readonly context?: unknown
}

/** One page of raw records. */
export interface ListPage {
  readonly records: readonly unknown[]
  /** The cursor of the next page; undefined after the last page. */
  readonly next: Json | undefined
  /**
   * Cursors of further partitions of the listing. They depend neither on each other nor on `next`, so they are listed
   * at the same time, in any order. The listing has ended when every partition has.
   */
  readonly partitions?: readonly Json[]
  /**
   * The cursors that probably follow `next`. Their requests are sent early. A response is used only if the listing
   * requires that request.
   */
  readonly prefetch?: readonly Json[]
  /**
   * The next page is not ready: it is requested after this time, by a later slice of the run. The cursor may be that of this
   * page.
   */
  readonly waitMs?: number
  /**
   * The token for the start of the next listing of changes; on the last page of each partition, if changes are found
   * by token.
   */
  readonly token?: Json
  /**
   * Remote ids of records that the app reports as deleted. The stored fields stay as they are; an id that is not
   * stored is ignored.
   */
  readonly deleted?: readonly string[]
}

/** The pages of a listing: the request for each, and the reader of its response. `paging/` creates pagers. */
export interface Pager {
  /** The request for one page. */
  listRequest(position: ListPosition): AppRequest
  /** Reads the response to that request. @throws Error if the response has an unexpected form */
  readList(response: AppResponse, position: ListPosition): ListPage
}

/** One request that reads several records by their remote ids. */
export interface ReadMany {
  /** The most ids of one request. */
  readonly maxIds: number
  /** The request for these records, in no particular order. */
  request(ids: readonly string[], context?: unknown): AppRequest
  /**
   * The records in the form of a listing, without those that the app does not have.
   * @throws Error if the response has an unexpected form
   */
  read(response: AppResponse, context?: unknown): readonly unknown[]
}

/** The stored copy of a record that a write changes or deletes. */
export interface StoredRecord {
  readonly remoteId: string
  /** The record as the API shows it: references are the service's ids; `remoteFields` holds the app's. */
  readonly record: Readonly<Record<string, unknown>>
  /**
   * In an update or deletion with the guard `compare`: the record as the app had it directly before the write, in the form
   * of a listing. It equals the stored copy. Undefined otherwise.
   */
  readonly raw?: unknown
}

/** The attempt at a write that steps belong to. */
export interface AttemptFacts {
  /**
   * A UUID for apps with idempotent requests (`Idempotency-Key`, `requestid`): the same when the same write is tried
   * again after an interruption, another one for every other write.
   */
  readonly key: string
  /** The context of the account; absent if the connector declares none. */
  readonly context?: unknown
}

/** The app does not have the record, or no longer has it. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError'
  readonly kind = 'absent' satisfies AppFailure['kind']
}

/** Whether an error of the steps, or one thrown into them, means that the app has no such record. */
export const isAbsent = (error: unknown): boolean =>
  // The engine's error class belongs to a higher layer, so compare its `kind`.
  error instanceof Error &&
  'kind' in error &&
  error.kind === ('absent' satisfies AppFailure['kind'])

interface WritableFields {
  /**
   * The unified fields that the app accepts: `vendorName`, `addresses` (with all parts),
   * `lineItems.quantity`.
   */
  readonly fields: readonly string[]
}

/**
 * How a stale write is detected. `version`: the request names the version and the app rejects a stale one
 * with a `conflict` · `compare`: the engine reads the record first and compares it with the stored copy.
 */
export type WriteGuard = 'version' | 'compare'

/** A record of the app, identified by the topic of its resource and its remote id. */
export interface RecordName {
  readonly topic: string
  readonly remoteId: string
}

/** The writes of one resource. Each write returns the record in the form of a listing. */
export interface ResourceWriter {
  /**
   * The record in the form of a listing; undefined if the app does not have it or has deleted
   * it. `stored` is the stored copy, if there is one: it provides what the id may lack, such as the parent.
   */
  get(remoteId: string, stored?: StoredRecord, context?: unknown): Steps<unknown>
  readonly create?: WritableFields & {
    steps(input: WriteInput, attempt: AttemptFacts): Steps<unknown>
  }
  readonly update?: WritableFields & {
    readonly guard: WriteGuard
    steps(input: WriteInput, stored: StoredRecord, attempt: AttemptFacts): Steps<unknown>
  }
  readonly delete?: {
    readonly guard: WriteGuard
    steps(stored: StoredRecord, attempt: AttemptFacts): Steps<void>
  }
  /**
   * The input in the form of a listing, e.g. an e-mail address in lower case. Fields whose
   * listed form cannot be predicted are left out. If the response to a write is lost, the engine compares
   * records with this form to find out whether the write happened.
   */
  normalize?(input: WriteInput, context?: unknown): WriteInput
  /**
   * Other records that this write changes in the app, e.g. the order of a fulfillment, derived from the
   * `remoteFields` before and after the write. The engine refreshes the stored copies after the write;
   * otherwise their next update would be rejected as stale.
   */
  sideEffects?(remoteFields: Readonly<Record<string, unknown>>): readonly RecordName[]
}

/** The connector's part for one resource: listing, mapping, sync behaviour and writes. */
export interface ResourceConnector extends Pager {
  readonly mapping: Mapping
  /** Absent if the app or the connector is read-only for this resource. */
  readonly write?: ResourceWriter
  /** Absent if the app reads only single records, or none, by id. */
  readonly readMany?: ReadMany
  /**
   * Steps that read which fields the app's records have in this account in addition to those of the unified model,
   * e.g. the custom properties of a CRM. Absent if the app does not describe them.
   */
  describeFields?(context?: unknown): Steps<readonly AppField[]>
  readonly sync: SyncDefinition
}

/** The part of a connector that its author writes. */
export interface ConnectorDefinition {
  /** The app's name in the API: `vendure`. */
  readonly app: string
  readonly name: string
  readonly doc: string
  /** The ways to connect the app. */
  readonly auth: AuthMethods
  /** The failure that the response to a request reports; undefined if it reports none. Applied to every response. */
  readFailure(response: AppResponse, request: AppRequest): AppFailure | undefined
  /** A request that every valid credential may send. It runs when the app is connected and must succeed. */
  readonly check: AppRequest
  /**
   * Reads the account's own name in the app, such as the name of the shop, from the response to `check`.
   * Undefined: the response has none. Never throws.
   */
  readAccountName?(response: AppResponse): string | undefined
  /** The values of an account that requests, mappings and writes need. Absent: they need none. */
  readonly context?: ContextDefinition
  /** The app's limits on requests. Absent: only a rate limit that the app reports pauses requests. */
  readonly limits?: RequestLimits
  /** How the app reports changes. Absent: they are found by polling only. */
  readonly webhooks?: Webhooks
  /** The listings that report the changes of several resources. Absent: each resource is polled by itself. */
  readonly feeds?: ChangeFeeds
  /** By topic. */
  readonly resources: Readonly<Record<string, ResourceConnector>>
}

/** A complete connector. */
export interface Connector extends ConnectorDefinition {
  readonly categories: readonly Category[]
}

/**
 * Completes a definition.
 * @throws TypeError if a resource's key is not the topic of its mapping, or if a way to connect, the context, the limits, the
 * webhooks, the feeds or the sync behaviour of a resource are not well defined
 */
export const defineConnector = (definition: ConnectorDefinition): Connector => {
  const { app, auth, context, feeds, limits, webhooks } = definition
  checkAuth(app, auth)
  if (context) checkContext(app, context)
  if (limits) checkRequestLimits(app, limits, commonValueNames(auth))
  for (const [topic, { mapping, sync }] of Object.entries(definition.resources)) {
    if (mapping.resource.topic !== topic)
      throw new TypeError(
        `The connector ${definition.app} has the mapping of ${mapping.resource.topic} under the key ${topic}.`,
      )
    checkSync(`${topic} of ${definition.app}`, sync, feedKeyOf(feeds, topic) !== undefined)
  }
  if (feeds) checkFeeds(app, feeds, Object.keys(definition.resources))
  if (webhooks) checkWebhooks(app, webhooks, Object.keys(definition.resources))
  const categories = Object.values(definition.resources).map(
    ({ mapping }) => mapping.resource.category,
  )
  return { ...definition, categories: [...new Set(categories)] }
}
