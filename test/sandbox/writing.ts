/** The write side of the sandbox connector, run against the app itself. */
import type {
  AppRequest,
  AppResponse,
  Json,
  ResourceWriter,
  StoredRecord,
  WriteInput,
} from '../../src/definition/connector.ts'
import { createMapper, type RecordRow } from '../../src/definition/mapping.ts'
import { connectors } from '../../src/generated/registry.ts'
import { ATTEMPT, runSteps } from '../support/steps.ts'
import type { Raw, SandboxHarness } from './sandbox-harness.ts'

export const CREDENTIAL = '9b2c6c1e-7a4d-4c58-8f5e-2f6f0d3a1b77'

const found = connectors.get('sandbox')
if (!found) throw new Error('The registry has no sandbox.')
export const connector = found

export type FieldValues = Readonly<Record<string, Json>>

/** The writer of a topic. @throws Error if the topic is read-only */
export const writerOf = (topic: string): ResourceWriter => {
  const writer = connector.resources[topic]?.write
  if (!writer) throw new Error(`The sandbox has no ${topic} to write.`)
  return writer
}

/** A returned record: raw, mapped, and in the form that a later write takes. */
export interface Written {
  readonly raw: Raw
  readonly row: RecordRow
  readonly stored: StoredRecord
}

/** Writes of one tenant. */
export interface TenantWrites {
  create(topic: string, fields: FieldValues, remoteFields?: FieldValues): Promise<Written>
  update(
    topic: string,
    record: Written,
    fields: FieldValues,
    remoteFields?: FieldValues,
  ): Promise<Written>
  remove(topic: string, record: Written): Promise<void>
  get(topic: string, id: string): Promise<Written | undefined>
  /** The requests to the app so far: `PUT /v1/vendors/ven_0001`. */
  readonly requests: string[]
}

export const tenantWrites = ({ request }: SandboxHarness): TenantWrites => {
  const requests: string[] = []
  const send = async ({ method, path, headers, body }: AppRequest): Promise<AppResponse> => {
    requests.push(`${method} ${path}`)
    const response = await request(method, path, { body, ...(headers && { headers }) })
    const { status } = response
    return { status, headers: Object.fromEntries(response.headers), body: response.body }
  }
  const readWritten = (topic: string, raw: unknown): Written => {
    const mapping = connector.resources[topic]?.mapping
    if (!mapping) throw new Error(`The sandbox has no ${topic}.`)
    const { row, problems } = createMapper(mapping)(raw, CREDENTIAL)
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    // The app's response as the mapper has found it.
    return { raw: raw as Raw, row, stored: { remoteId: row.remoteId, record: row } }
  }
  const writeInput = (fields: FieldValues, remoteFields: FieldValues = {}): WriteInput => ({
    fields,
    remoteFields,
  })
  const run = async (topic: string, steps: Parameters<typeof runSteps<unknown>>[1]) =>
    readWritten(topic, await runSteps(connector, steps, send))

  return {
    requests,
    create: async (topic, fields, remoteFields) => {
      const { create } = writerOf(topic)
      if (!create) throw new Error(`${topic} cannot be created.`)
      return run(topic, create.steps(writeInput(fields, remoteFields), ATTEMPT))
    },
    update: async (topic, { stored }, fields, remoteFields) => {
      const { update } = writerOf(topic)
      if (!update) throw new Error(`${topic} cannot be updated.`)
      return run(topic, update.steps(writeInput(fields, remoteFields), stored, ATTEMPT))
    },
    remove: async (topic, { stored }) => {
      const removal = writerOf(topic).delete
      if (!removal) throw new Error(`${topic} cannot be deleted.`)
      await runSteps(connector, removal.steps(stored, ATTEMPT), send)
    },
    get: async (topic, id) => {
      const raw = await runSteps(connector, writerOf(topic).get(id), send)
      return raw === undefined ? undefined : readWritten(topic, raw)
    },
  }
}
