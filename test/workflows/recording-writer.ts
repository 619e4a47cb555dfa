/**
 * What stands in for the engine that writes to apps: it keeps the record and its change in the store, as
 * that engine does, and each write in a table, so that writes of killed processes are seen as well.
 */

import { randomUUID } from 'node:crypto'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { ApiError } from '../../src/errors.ts'
import type { Input } from '../../src/query/input.ts'
import type { WriteAttempt, WriteOwner } from '../../src/query/write-request.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import type { Database } from '../../src/store/database.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import type { WorkflowWriter } from '../../src/workflows/context.ts'

export interface Write {
  readonly action: 'create' | 'update'
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Called around each write; what is thrown is what the app answered. */
export interface WriterBehaviour {
  before?: (input: Input, attempt: WriteAttempt) => Promise<void>
  after?: (input: Input) => Promise<void>
}

export const createWritesTable = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw`
    CREATE TABLE writes (number serial PRIMARY KEY, action text, credential_id uuid, topic text,
      record_id uuid, cause uuid, input json)`
}

export const listWrites = ({ prisma }: Database): Promise<Write[]> =>
  prisma.$queryRaw<Write[]>`
    SELECT action, credential_id::text AS "credentialId", topic, record_id::text AS "recordId", input
    FROM writes ORDER BY number`

const lists = new Set(['references', 'texts', 'list'])

const toRow = (
  credentialId: string,
  resource: Resource,
  remoteId: string,
  input: Input,
): RecordRow => ({
  ...Object.fromEntries(
    Object.entries(resource.fields).map(([name, { kind }]) => [
      name,
      input[name] ?? (lists.has(kind) ? [] : null),
    ]),
  ),
  id: recordId(credentialId, resource.topic, remoteId),
  remoteId,
  remoteDeleted: false,
})

export const createRecordingWriter = (
  database: Database,
  behaviour: WriterBehaviour = {},
): WorkflowWriter => {
  const { prisma } = database

  const write = async (
    action: Write['action'],
    owner: WriteOwner,
    { resource, remoteId }: { readonly resource: Resource; readonly remoteId: string },
    input: Input,
    attempt: WriteAttempt,
  ): Promise<string> => {
    const { brokenOffSince, cause } = attempt
    await behaviour.before?.(input, attempt)
    const { credentialId } = owner
    const row = toRow(credentialId, resource, remoteId, input)
    const id = await prisma.$transaction(async (transaction) => {
      // What an earlier try has done is looked for if there was one, and only then.
      const [written] = brokenOffSince
        ? await transaction.$queryRaw<{ id: string }[]>`
            SELECT record_id::text AS id FROM writes WHERE cause = ${cause}::uuid AND action = ${action}`
        : []
      if (written) return written.id
      await transaction.$executeRaw`
        INSERT INTO writes (action, credential_id, topic, record_id, cause, input)
        VALUES (${action}, ${credentialId}::uuid, ${resource.topic}, ${row.id}::uuid,
          ${cause}::uuid, ${JSON.stringify(input)}::json)`
      const line = createLineWriter(resource)(row)
      await applyChanges(transaction, owner, resource, [line], { accept: 'newer', cause })
      return row.id
    })
    await behaviour.after?.(input)
    return JSON.stringify({ ...row, id })
  }

  return {
    create: (owner, resource, { fields }, attempt) =>
      write('create', owner, { resource, remoteId: randomUUID() }, fields, attempt),
    update: async (owner, resource, id, { fields }, attempt) => {
      const [found] = await prisma.$queryRawUnsafe<{ remote_id: string }[]>(
        `SELECT remote_id FROM ${resource.table} WHERE id = '${id}' AND NOT remote_deleted`,
      )
      if (!found) throw new ApiError('NOT_FOUND', 'There is no such record.')
      return write('update', owner, { resource, remoteId: found.remote_id }, fields, attempt)
    },
  }
}
