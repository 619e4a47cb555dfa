/** Records that an app returns only as parts of others, such as the fulfillments of an order. */
import {
  type Pager,
  type ReadMany,
  RecordNotFoundError,
  type Steps,
  type StoredRecord,
} from '../connector.ts'
import { textsAt, type Values, valuesAt, valuesOf } from '../raw-values.ts'
import { findIn, readByIds } from './compose.ts'

/** The facts of parts. */
export interface PartFacts {
  /** Reads the parts of parents, by the ids of the parents. */
  readonly readMany: ReadMany
  /** The member of a part that is the id of its parent, also in its `remoteFields`: `order_id`. */
  readonly parentId: string
  /** The parents, with the ids of their parts, to find the parent of a part that is not stored. The most likely parents come first. */
  readonly search: Pager
  /** The path of the ids of the parts in a record of `search`: `fulfillments.id`. */
  readonly partIds: string
}

/** Reads parts. */
export interface PartReader {
  /** The parts of a parent. */
  partsOf(parentId: string, context?: unknown): Steps<readonly Values[]>
  /** A part of a parent. @throws RecordNotFoundError */
  read(parentId: string, id: string, context?: unknown): Steps<Values>
  /** A part, as `get` of a writer. Its parent is that of the record before a write or the stored copy, or found by a search. */
  get(id: string, stored?: StoredRecord, context?: unknown): Steps<Values | undefined>
}

/** Creates the reader of parts. */
export const partReader = ({ readMany, parentId, search, partIds }: PartFacts): PartReader => {
  function* findParent(id: string, context: unknown): Steps<string | undefined> {
    const hasPart = (parent: unknown) => valuesAt(parent, partIds).includes(id)
    return textsAt(yield* findIn(search, hasPart, context), 'id')[0]
  }
  function* partsOf(parent: string, context?: unknown): Steps<readonly Values[]> {
    return (yield* readByIds(readMany, [parent], context)).map(valuesOf)
  }
  return {
    partsOf,
    *read(parent, id, context) {
      const found = (yield* partsOf(parent, context)).find((part) => part.id === id)
      if (!found) throw new RecordNotFoundError(`The record ${parent} has no part ${id}.`)
      return found
    },
    *get(id, stored, context) {
      const known = [stored?.raw, valuesOf(stored?.record).remoteFields]
      const parent = textsAt(known, parentId)[0] ?? (yield* findParent(id, context))
      if (parent === undefined) return undefined
      return (yield* partsOf(parent, context)).find((part) => part.id === id)
    },
  }
}
