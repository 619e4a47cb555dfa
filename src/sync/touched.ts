/** The records that the app changes along with a written one: read back, so that they are not stale here. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../definition/catalogue.ts'
import type { RecordName } from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import { isObject } from '../definition/value.ts'
import { openTarget, readSeen, type TargetOptions, type WriteTarget } from './write-target.ts'

export interface TouchedOptions extends TargetOptions {
  readonly catalogue: Catalogue
}

/** A write that is stored. */
export interface StoredWrite {
  /** The record before and after it, as far as there was and is one. */
  readonly versions: readonly Readonly<Record<string, unknown>>[]
  /** The workflow run that has written it. */
  readonly cause: string | undefined
}

// Of a write that touches more, the rest is brought by the next sync.
const MAX_TOUCHED = 20
// The caller waits for a write that is done; what is read back later is stored all the same.
const PATIENCE_MS = 5000

const namesOf = ({ writer }: WriteTarget, { versions }: StoredWrite): readonly RecordName[] => {
  const names = versions.flatMap(({ remoteFields }) =>
    isObject(remoteFields) ? (writer.touches?.(remoteFields) ?? []) : [],
  )
  return [...new Map(names.map((name) => [`${name.topic}\n${name.remoteId}`, name])).values()]
}

/**
 * Reads back the records that the app has changed along with a written one. One that is not stored here
 * is left to the next sync, and so is one that the app does not tell now: the write itself is done.
 */
export const readBackTouched = async (
  options: TouchedOptions,
  written: WriteTarget,
  write: StoredWrite,
): Promise<void> => {
  const { database, catalogue } = options
  const { owner } = written
  const readBack = async ({ topic, remoteId }: RecordName): Promise<void> => {
    const { credentialId } = owner
    const resource = catalogue.get(topic)
    const id = recordId(credentialId, topic, remoteId)
    const seen = await readSeen(database, resource, { credentialId, id })
    if (!seen) return
    const target = await openTarget(options, owner, resource)
    await target.refresh(seen, write.cause)
  }
  const names = namesOf(written, write).slice(0, MAX_TOUCHED)
  if (names.length === 0) return
  const patience = new AbortController()
  await Promise.race([
    Promise.allSettled(names.map(readBack)),
    wait(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {}),
  ])
  patience.abort()
}
