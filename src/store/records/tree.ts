/** Records with the records linked to them, to any depth: what to read, and what was read. */
import type { Resource } from '../../definition/resource.ts'
import type { LinkedRequest, RecordPage } from './records.ts'

/** What to read of the records at one place of the tree. */
export interface TreeLevel {
  readonly resource: Resource
  /** The fields of the text of a record, in addition to its id; undefined: all, as stored. */
  readonly fields: ReadonlySet<string> | undefined
  /** Whether to read the custom fields of the records. */
  readonly hasCustomFields: boolean
  readonly links: readonly TreeLink[]
}

/** What to read of a page. */
export interface TreePage {
  readonly level: TreeLevel
  /** Whether to detect if more records follow. */
  readonly detectsMore: boolean
  /** Whether the caller calls `cursorOf`. */
  readonly hasCursors: boolean
  /** Whether the caller only needs the texts of the records, joined by commas. They have no links then. */
  readonly isCopied: boolean
}

/** The records that refer to each record of the level above. */
export interface PageLink {
  readonly kind: 'page'
  readonly request: LinkedRequest
  /** Undefined: only the count is read. */
  readonly page: TreePage | undefined
  readonly hasCount: boolean
}

/** The records that each record of the level above refers to. */
export interface ReferenceLink {
  readonly kind: 'reference'
  /** The names from the field of the record to the field with the id or the ids. */
  readonly path: readonly [string, ...string[]]
  readonly level: TreeLevel
}

export type TreeLink = PageLink | ReferenceLink

/** A record that was read. */
export interface TreeRow {
  /** The JSON text of the fields that its level reads; the id is first. */
  readonly text: string
  /** The JSON text of its custom fields; `null` if it has none, or if its level does not read them. */
  readonly customFields: string
  /** The text, and after it what belongs to the record, but not to its text. */
  readonly values: readonly string[]
}

/** The linked records of all records of a level. */
export type LinkedRows = LinkedPages | ReferencedRows

export interface LinkedPages {
  readonly kind: 'page'
  readonly links: readonly LinkedRows[]
  /** Empty if the page has a text. */
  pageOf(row: TreeRow): RecordPage<TreeRow>
  /** The texts of the page's records, joined by commas; undefined: `pageOf` returns the records. */
  textOf(row: TreeRow): string | undefined
  /** The number of records on all pages. */
  countOf(row: TreeRow): number
}

export interface ReferencedRows {
  readonly kind: 'reference'
  readonly links: readonly LinkedRows[]
  /** The ids in the field of a record; for a field inside an object, they are in the record's text only. */
  idsOf(row: TreeRow): readonly string[]
  /** The record with this id; undefined if none exists. */
  find(id: string): TreeRow | undefined
}

// The text starts with the id: {"id":"00000000-0000-8000-8000-000000000000".
const ID_START = '{"id":"'.length
const ID_END = ID_START + 36

/** The id of a record. */
export const rowIdOf = ({ text }: TreeRow): string => text.slice(ID_START, ID_END)
