/** Results of subscriptions, resolved and serialized once for all subscribers with the same selection. */
import type { ExecutionResult } from 'graphql'
import type { Change } from '../../store/changes/changes.ts'
import type { ChangeEvent } from './event-stream.ts'

/** The serialized result of a selection for one change. */
export interface SharedResult extends Pick<ExecutionResult, 'errors'> {
  /** False: the selection has no result, and `errors` contains the reason. */
  readonly hasData: boolean
  /** UTF-8, in its own allocation: a slice of Node's shared pool would keep the whole pool alive. */
  readonly json: Buffer
  /** Called by Yoga instead of JSON.stringify. */
  stringify(): string
}

/** Serializes a result. */
export const createSharedResult = (result: ExecutionResult): SharedResult => {
  const text = JSON.stringify(result)
  const json = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  json.write(text)
  const hasData = result.data !== undefined && result.data !== null
  return {
    hasData,
    json,
    stringify: () => json.toString(),
    ...(result.errors && { errors: result.errors }),
  }
}

type Results = Map<string, SharedResult | Promise<SharedResult>>

/** Memory limit of all cached results. The oldest are evicted, and resolved again when needed. */
const MAX_BYTES = 16 * 2 ** 20
/** Memory of a result in addition to its JSON. */
const OVERHEAD_BYTES = 500

interface CacheEntry {
  /** Garbage-collected after every subscriber has received the change. */
  readonly results: WeakRef<Results>
  readonly selection: string
  readonly bytes: number
}

/** Evicts the oldest results when the memory limit is exceeded. */
const createLimit = () => {
  const entries = new Set<CacheEntry>()
  let total = 0
  return (results: Results, selection: string, { json }: SharedResult): void => {
    const bytes = OVERHEAD_BYTES + json.length
    entries.add({ results: new WeakRef(results), selection, bytes })
    total += bytes
    for (const oldest of entries) {
      if (total <= MAX_BYTES) return
      entries.delete(oldest)
      total -= oldest.bytes
      oldest.results.deref()?.delete(oldest.selection)
    }
  }
}

/** Caches the results of a change by selection, until every subscriber has received the change. */
export const createSharedResults = () => {
  // Keyed by change: a change belongs to one environment, so results are never shared between environments.
  const inList = new WeakMap<Change, Results>()
  const notInList = new WeakMap<Change, Results>()
  const limit = createLimit()
  return {
    /** The result of a selection, resolved on first use. */
    of: (
      { change, inFilter }: ChangeEvent,
      selection: string,
      resolve: () => Promise<ExecutionResult>,
    ): SharedResult | Promise<SharedResult> => {
      const results = inFilter ? inList : notInList
      const ofChange: Results = results.get(change) ?? new Map()
      results.set(change, ofChange)
      const existing = ofChange.get(selection)
      if (existing !== undefined) return existing
      const created = resolve().then(createSharedResult)
      ofChange.set(selection, created)
      // A failed result is not cached: it may succeed for the next subscriber.
      const remove = (): void => void ofChange.delete(selection)
      const keep = (result: SharedResult): void => {
        ofChange.set(selection, result)
        limit(ofChange, selection, result)
      }
      created.then((result) => (result.hasData ? keep(result) : remove()), remove)
      return created
    },
  }
}
