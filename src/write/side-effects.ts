/** Reads side effects of a write back into the store: other records that it changes, e.g. the order of a fulfillment. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../definition/catalogue.ts'
import type { RecordName } from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import { isObject } from '../definition/value.ts'
import {
  openTarget,
  readStored,
  type StoredVersion,
  type TargetOptions,
  type WriteTarget,
} from './open-target.ts'

/** The dependencies of a write. */
export interface WriteContext extends TargetOptions {
  readonly catalogue: Catalogue
}

/** A write that has been stored. */
export interface StoredWrite {
  /** The record before and after the write, as far as it existed. */
  readonly versions: readonly StoredVersion[]
  /** The workflow run that caused it. */
  readonly cause: string | undefined
}

// If a write affects more records, the next sync stores the rest.
const MAX_RECORDS = 20
// The caller waits although the write is done. Records that arrive later are still stored.
const TIMEOUT_MS = 5000

const namesOf = ({ writer }: WriteTarget, { versions }: StoredWrite): readonly RecordName[] => {
  const names = versions.flatMap(({ values: { remoteFields } }) =>
    isObject(remoteFields) ? (writer.sideEffects?.(remoteFields) ?? []) : [],
  )
  return [...new Map(names.map((name) => [`${name.topic}\n${name.remoteId}`, name])).values()]
}

/**
 * Reads back the other records that a write has changed in the app. Records that are not stored here, or
 * that the app does not return now, are left to the next sync: the write itself has succeeded.
 */
export const readBackSideEffects = async (
  context: WriteContext,
  written: WriteTarget,
  write: StoredWrite,
): Promise<void> => {
  const { database, catalogue } = context
  const { owner } = written
  const { credentialId } = owner
  const readBack = async (topic: string, names: readonly RecordName[]): Promise<void> => {
    const resource = catalogue.get(topic)
    const stored = await Promise.all(
      names.map(({ remoteId }) =>
        readStored(database, resource, {
          credentialId,
          id: recordId(credentialId, topic, remoteId),
        }),
      ),
    )
    const known = stored.filter((version) => version !== undefined)
    if (known.length === 0) return
    const target = await openTarget(context, { owner, resource })
    await target.refreshAll(known, write.cause)
  }
  const names = namesOf(written, write).slice(0, MAX_RECORDS)
  if (names.length === 0) return
  const timeout = new AbortController()
  await Promise.race([
    Promise.allSettled(
      [...Map.groupBy(names, ({ topic }) => topic)].map(([topic, group]) => readBack(topic, group)),
    ),
    wait(TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {}),
  ])
  timeout.abort()
}
