/**
 * A stand-in for the write engine: it stores the record and its change as the engine does, and
 * records each write in a table, so that the writes of killed processes are recorded too.
 */

import { randomUUID } from 'node:crypto'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { ApiError } from '../../src/errors.ts'
import type { Input } from '../../src/query/input.ts'
import type { VersionedRecord, WriteAttempt, WriteOwner } from '../../src/query/write-request.ts'
import type { Database } from '../../src/store/database/database.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import type { WorkflowWriter } from '../../src/workflows/context.ts'

export interface Write {
  readonly action: 'create' | 'update'
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Hooks around each write. An error that one throws simulates a response of the app. */
export interface WriterBehaviour {
  before?: (input: Input, attempt: WriteAttempt) => Promise<void>
  /** The app has the record, and the store does not yet. */
  inApp?: (row: RecordRow) => Promise<void>
  after?: (input: Input) => Promise<void>
}

export const createWritesTable = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw`
    CREATE TABLE writes (number serial PRIMARY KEY, action text, credential_id uuid, topic text,
      record_id uuid, remote_id text, cause uuid, input json)`
}

export const listWrites = ({ prisma }: Database): Promise<Write[]> =>
  prisma.$queryRaw<Write[]>`
    SELECT action, credential_id::text AS "credentialId", topic, record_id::text AS "recordId", input
    FROM writes ORDER BY number`

const toRow = (
  credentialId: string,
  resource: Resource,
  remoteId: string,
  input: Input,
): RecordRow => ({
  ...Object.fromEntries(
    Object.entries(resource.fields).map(([name, { kind }]) => [
      name,
      input[name] ?? (kind.isList ? [] : null),
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
  ): Promise<VersionedRecord> => {
    const { interruptedSince, cause } = attempt
    await behaviour.before?.(input, attempt)
    const { credentialId } = owner
    // An earlier attempt is looked up only if one was made.
    const [written] = interruptedSince
      ? await prisma.$queryRaw<{ remoteId: string }[]>`
          SELECT remote_id AS "remoteId" FROM writes WHERE cause = ${cause}::uuid AND action = ${action}`
      : []
    const row = toRow(credentialId, resource, written?.remoteId ?? remoteId, input)
    if (!written)
      await prisma.$executeRaw`
        INSERT INTO writes (action, credential_id, topic, record_id, remote_id, cause, input)
        VALUES (${action}, ${credentialId}::uuid, ${resource.topic}, ${row.id}::uuid, ${row.remoteId},
          ${cause}::uuid, ${JSON.stringify(input)}::json)`
    await behaviour.inApp?.(row)
    const line = createLineWriter(resource)(row)
    await database.transaction((transaction) =>
      applyChanges(transaction, owner, resource, [line], { accept: 'newer', cause }),
    )
    await behaviour.after?.(input)
    const [stored] = await prisma.$queryRawUnsafe<{ updatedAt: Date }[]>(
      `SELECT updated_at AS "updatedAt" FROM ${resource.table} WHERE id = '${row.id}'`,
    )
    if (!stored) throw new Error('A record was written and is not stored.')
    return { id: row.id, json: JSON.stringify(row), updatedAt: stored.updatedAt.toISOString() }
  }

  return {
    create: ({ owner, resource, request, attempt }) =>
      write('create', owner, { resource, remoteId: randomUUID() }, request.fields, attempt),
    update: async ({ owner, resource, id, request, attempt }) => {
      const [found] = await prisma.$queryRawUnsafe<{ remote_id: string }[]>(
        `SELECT remote_id FROM ${resource.table} WHERE id = '${id}' AND NOT remote_deleted`,
      )
      if (!found) throw new ApiError('NOT_FOUND', 'There is no such record.')
      return write(
        'update',
        owner,
        { resource, remoteId: found.remote_id },
        request.fields,
        attempt,
      )
    },
  }
}
