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
}

export interface AppResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body; undefined when empty. */
  readonly body: unknown
}

/** What an app's answer means when it is not the answer that was asked for. */
export interface AppFailure {
  readonly kind: 'authentication' | 'refused' | 'rate-limited' | 'unavailable'
  /** The app's own words. */
  readonly reason: string
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

export interface ResourceConnector {
  readonly mapping: Mapping
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
