/** What a new tenant of the sandbox finds: the records of every kind, as of an instant. */
import { draftBooks } from './dataset/books.ts'
import { draftDocuments } from './dataset/documents.ts'
import { createDraft, type Origin } from './dataset/draft.ts'
import { draftSales } from './dataset/sales.ts'
import { draftShop } from './dataset/shop.ts'
import { type KindName, kinds, type Stored } from './kinds/kinds.ts'

/** The first records of a tenant. */
export interface Dataset {
  /** Kind by kind, in the order of their ids. */
  readonly records: readonly Stored[]
  /** The last number given for each prefix of ids. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Pure: the same tenant, seed and start give the same records, to the byte. */
export const createDataset = (origin: Origin): Dataset => {
  const draft = createDraft(origin)
  draftBooks(draft)
  draftDocuments(draft)
  draftSales(draft)
  draftShop(draft)
  // The keys of `kinds` are the names of the kinds.
  const names = Object.keys(kinds) as KindName[]
  return { records: names.flatMap((name) => draft.all(name)), numbers: draft.numbers }
}
