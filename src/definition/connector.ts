/**
 * An app, as the engines see it: what it needs to connect, which requests to send and how to read the
 * answers. A connector does no I/O: it builds requests and judges responses, so it can be tested from
 * recorded answers and never decides on retries, time limits or addresses.
 */

import type { Mapping } from './mapping.ts'
import type { Category } from './resource.ts'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

export interface AppRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address of the credential, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Json
  /** Changes nothing in the app, whatever its method: it may be sent again. A GET always may. */
  readonly read?: true
  /** Takes back all that the requests before it have changed: once it is answered, nothing is. */
  readonly undo?: true
}

export interface AppResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body; undefined when empty. */
  readonly body: unknown
}

/**
 * What an app's answer means when it is not the answer that was asked for. `conflict`: the record has
 * another version than the one that was to be changed · `absent`: the app has no such record.
 */
export interface AppFailure {
  readonly kind:
    | 'authentication'
    | 'refused'
    | 'conflict'
    | 'absent'
    | 'rate-limited'
    | 'unavailable'
  /** The app's own words. */
  readonly reason: string
  /** The field that the app names, by its own name: `lines.0.quantity`. */
  readonly field?: string
  readonly retryAfterMs?: number
}

/** One thing that an end user gives to connect the app. */
export interface CredentialField {
  readonly doc: string
  readonly secret: boolean
  readonly example?: string
  /** The app can be connected without it. */
  readonly optional?: true
}

export type CredentialValues = Readonly<Record<string, string>>

/** Where a listing stands: the connector's own mark, kept between pages and across restarts. */
export interface ListPosition {
  /** Records changed at or after this instant are wanted; undefined: all. ISO 8601. */
  readonly since: string | undefined
  /** The connector's mark of the page; undefined: the first. */
  readonly cursor: Json | undefined
}

export interface ListPage {
  readonly records: readonly unknown[]
  /** The mark of the next page; undefined after the last. */
  readonly next: Json | undefined
}

/**
 * Requests that belong together, each made from the answers to those before. The engine sends what is
 * yielded and hands back the answer; a failure of the app is thrown in, so a connector may catch it.
 */
export type Steps<Result> = Generator<AppRequest, Result, AppResponse>

/** What is to be written. */
export interface WriteInput {
  /**
   * The given unified fields. References are the app's own ids, decimals and numbers are texts of digits
   * (numbers inside objects are numbers), times ISO 8601, days `YYYY-MM-DD`, labels the definition's own
   * words (`BILLING`); null empties a field.
   */
  readonly fields: Readonly<Record<string, Json>>
  /** Fields by the app's own names, to be passed on as they are. */
  readonly remoteFields: Readonly<Record<string, Json>>
}

/** A record that is to be changed or deleted. */
export interface StoredRecord {
  readonly remoteId: string
  /** The record as the API shows it: its references are ids of ours, `remoteFields` has the app's. */
  readonly record: Readonly<Record<string, unknown>>
}

/** The connector will not send this: the app could not take it. Names the unified field, and why. */
export class WriteRefusal extends Error {
  override readonly name = 'WriteRefusal'
  readonly field: string | undefined
  readonly reason: string

  constructor(reason: string, field?: string) {
    super(field === undefined ? reason : `${field}: ${reason}`)
    this.field = field
    this.reason = reason
  }
}

/** The app turns out to have no such record, or no longer. */
export class RecordAbsent extends Error {
  override readonly name = 'RecordAbsent'
  readonly kind = 'absent' satisfies AppFailure['kind']
}

/** Whether what was thrown into the steps, or by them, says that the app has no such record. */
export const isAbsent = (error: unknown): boolean =>
  // The engine's error class is above this layer; its kind is the failure's.
  error instanceof Error &&
  'kind' in error &&
  error.kind === ('absent' satisfies AppFailure['kind'])

interface FieldsTaken {
  /** The unified fields that the app takes: `vendorName`, `addresses` (whole) or `lineItems.quantity`. */
  readonly fields: readonly string[]
}

/**
 * How a stale change is noticed. `version`: the app refuses it itself (a `conflict`), because the request
 * names the version · `compare`: the record is read first, and must be as it is stored here.
 */
export type WriteGuard = 'version' | 'compare'

/** A record of the app, and the topic of its resource. */
export interface RecordName {
  readonly topic: string
  readonly remoteId: string
}

/** How the app's records are written. Each write ends with the record as a listing would show it. */
export interface ResourceWriter {
  /**
   * The record as a listing would show it; undefined if the app has none, or has deleted it. `stored`, as
   * far as it is known here, tells what the id alone may not: the parent of a record that has one.
   */
  get(remoteId: string, stored?: StoredRecord): Steps<unknown>
  readonly create?: FieldsTaken & { steps(input: WriteInput): Steps<unknown> }
  readonly update?: FieldsTaken & {
    readonly guard: WriteGuard
    steps(input: WriteInput, stored: StoredRecord): Steps<unknown>
  }
  readonly delete?: {
    readonly guard: WriteGuard
    steps(stored: StoredRecord): Steps<void>
  }
  /**
   * What is written, in the form in which a listing shows it: an e-mail address in lower case. What is shown
   * in a form that nobody can tell beforehand is left out. A write whose answer was lost is recognised by it.
   */
  shownAs?(input: WriteInput): WriteInput
  /**
   * The unified field that is written under a name of the app's, where it is not read from there alone:
   * `placed_by` is `customer`. A refusal of the app is told by it.
   */
  readonly fieldNames?: Readonly<Record<string, string>>
  /**
   * Which other records the app changes along with one of these: the order of a fulfillment. Told from the
   * `remoteFields` that it has before the write and after it. Where they are stored, they are read back
   * after the write; otherwise the next change of them would be refused as stale.
   */
  touches?(remoteFields: Readonly<Record<string, unknown>>): readonly RecordName[]
}

export interface ResourceConnector {
  readonly mapping: Mapping
  /** Absent where the app, or the connector, can only be read. */
  readonly write?: ResourceWriter
  /** The request for one page. */
  listRequest(position: ListPosition): AppRequest
  /** What the answer to that request holds. @throws Error if the answer is not of the app's form. */
  readList(response: AppResponse, position: ListPosition): ListPage
  readonly sync: {
    /** Whether `since` narrows the listing; if not, each run lists all. */
    readonly incremental: boolean
    /** `reported`: deleted records are listed as such; `absent`: they vanish and a full listing finds them. */
    readonly deletions: 'reported' | 'absent'
    /** How far before the newest record seen the next run starts, for clocks of coarse resolution. */
    readonly overlapMs: number
    /**
     * Counts the app's records, where it tells their number cheaply. Asked after each listing: once the
     * difference from what is held here has changed, records have come or gone that no listing of changes
     * shows, and the next listing is one of everything.
     */
    readonly census?: {
      readonly request: AppRequest
      /** @throws Error if the answer is not of the app's form */
      read(response: AppResponse): number
    }
  }
}

export interface ConnectorDefinition {
  /** The app's name in the API: `vendure`. */
  readonly app: string
  readonly name: string
  readonly doc: string
  readonly credential: Readonly<Record<string, CredentialField>>
  baseUrl(credential: CredentialValues): string
  /** Headers that carry the credential. */
  authorize(credential: CredentialValues): Readonly<Record<string, string>>
  /** Reads a failure out of an answer; undefined if it is none. Applied to every answer. */
  readFailure(response: AppResponse): AppFailure | undefined
  /** What any good credential may ask, sent once when the app is connected: a refusal ends that. */
  readonly check: AppRequest
  /** By topic. */
  readonly resources: Readonly<Record<string, ResourceConnector>>
}

export interface Connector extends ConnectorDefinition {
  readonly categories: readonly Category[]
}

/** Completes a definition; a resource's key must be the topic of its mapping. */
export const defineConnector = (definition: ConnectorDefinition): Connector => {
  for (const [topic, { mapping }] of Object.entries(definition.resources))
    if (mapping.resource.topic !== topic)
      throw new TypeError(
        `${definition.app} has the mapping of ${mapping.resource.topic} under ${topic}.`,
      )
  const categories = Object.values(definition.resources).map(
    ({ mapping }) => mapping.resource.category,
  )
  return { ...definition, categories: [...new Set(categories)] }
}
