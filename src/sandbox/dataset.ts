/** The initial records of a new tenant, as of an instant. */
import { draftBooks } from './dataset/books.ts'
import { draftDerived } from './dataset/derived.ts'
import { draftDocuments } from './dataset/documents.ts'
import { createDraft, type Origin } from './dataset/draft.ts'
import { draftSales } from './dataset/sales.ts'
import { draftShop } from './dataset/shop.ts'
import { kindNames, type Stored } from './kinds/kinds.ts'

/** The initial records of a tenant. */
export interface Dataset {
  /** Grouped by kind, sorted by id. */
  readonly records: readonly Stored[]
  /** The last assigned number for each id prefix. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Creates the records of a tenant. Pure: the same tenant, seed and start give identical records. */
export const createDataset = (origin: Origin): Dataset => {
  const draft = createDraft(origin)
  draftBooks(draft)
  draftDocuments(draft)
  draftSales(draft)
  draftShop(draft)
  draftDerived(draft)
  return { records: kindNames.flatMap((name) => draft.all(name)), numbers: draft.numbers }
}
