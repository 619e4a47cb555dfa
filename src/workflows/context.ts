/** What the parts of the workflow engine share. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import type { Postbox } from '../outbound/postbox.ts'
import type { RecordWriter } from '../query/write-request.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import { checkWorkflowDefinition, type WorkflowDefinition } from './definition.ts'

/** Where the engine tells what it does: facts, then words. pino's shape. */
export interface WorkflowLog {
  debug(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** Writes to apps. It keeps the run that asks, as the cause of what changes. */
export type WorkflowWriter = Pick<RecordWriter, 'create' | 'update'>

/** What identifies a post and is signed with its body. */
export interface PostToSign {
  /** The same at every attempt. */
  readonly id: string
  /** Of the attempt. */
  readonly timestampSeconds: number
  readonly body: string
}

/** Signs as Standard Webhooks says, by each of the secrets. */
export type SignPost = (
  secrets: readonly string[],
  post: PostToSign,
) => {
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

export interface WorkflowContext {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
  readonly writer: WorkflowWriter
  readonly postbox: Pick<Postbox, 'open'>
  readonly vault: Vault
  readonly sign: SignPost
  readonly log: WorkflowLog
  readonly definitions: Definitions
}

export interface Definitions {
  /** @throws ApiError if it does not fit the apps and resources of this version of the program */
  read(workflowId: string, version: number, json: unknown): WorkflowDefinition
}

const MAX_REMEMBERED = 1000

/** Definitions as they are stored, checked once each: a version never changes. */
export const createDefinitions = ({
  catalogue,
  connectors,
}: Pick<WorkflowContext, 'catalogue' | 'connectors'>): Definitions => {
  const known = new Map<string, WorkflowDefinition>()
  return {
    read: (workflowId, version, json) => {
      const key = `${workflowId}/${version}`
      const found = known.get(key) ?? checkWorkflowDefinition(catalogue, connectors, json)
      if (known.size >= MAX_REMEMBERED) known.clear()
      known.set(key, found)
      return found
    },
  }
}
