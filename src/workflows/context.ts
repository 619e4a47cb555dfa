/** The dependencies that the parts of the workflow engine share. */

import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import type { WebhookTransport } from '../outbound/webhook-transport.ts'
import type { RecordWriter } from '../query/write-request.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { checkWorkflowDefinition, type WorkflowDefinition } from './definition.ts'

/** Writes to apps. The change log keeps the run as the cause of the resulting changes. */
export type WorkflowWriter = Pick<RecordWriter, 'create' | 'update'>

/** The parts of a post that its signature covers. */
export interface RequestToSign {
  /** The id of the message, the same for every attempt. */
  readonly id: string
  /** The time of the attempt. */
  readonly timestampSeconds: number
  readonly body: string
}

/** Signs a post with each of the secrets, as Standard Webhooks specifies. */
export type SignRequest = (
  secrets: readonly string[],
  post: RequestToSign,
) => {
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

/** The dependencies of the workflow engine. */
export interface WorkflowContext {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
  readonly writer: WorkflowWriter
  readonly transport: Pick<WebhookTransport, 'open'>
  readonly vault: Vault
  readonly clock: Clock
  readonly sign: SignRequest
  readonly log: Log
  readonly definitions: Definitions
}

/** The checked workflow definitions. */
export interface Definitions {
  /** Returns a stored definition. @throws ApiError if the apps and resources of this release do not support it */
  read(workflowId: string, version: number, json: unknown): WorkflowDefinition
}

const MAX_CACHED = 1000

/** Creates the cache of checked definitions. A version of a definition never changes. */
export const createDefinitions = ({
  catalogue,
  connectors,
}: Pick<WorkflowContext, 'catalogue' | 'connectors'>): Definitions => {
  const cache = new Map<string, WorkflowDefinition>()
  return {
    read: (workflowId, version, json) => {
      const key = `${workflowId}/${version}`
      const definition = cache.get(key) ?? checkWorkflowDefinition(catalogue, connectors, json)
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(key, definition)
      return definition
    },
  }
}
