/**
 * Records with all of their parts. A list returns the first parts of each record; the others are read with requests for
 * that record alone (NOTES "parts").
 */
import type { ListPosition, Pager, ResourceWriter, Steps } from '../../definition/connector.ts'
import { rootFields } from '../../definition/graphql.ts'
import type { Json } from '../../definition/json.ts'
import { around, inner, mapCursors, memberOf } from '../../definition/paging/pager.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import type { AppResponse } from '../../definition/steps.ts'
import { nodeRequest, type PartPage, type Selected } from './listing.ts'

interface Fragment {
  readonly parts: readonly Json[]
  /** The cursor of the next parts; undefined after the last one. */
  readonly after: Json | undefined
}

const fragmentOf = (record: unknown, { part }: Selected): Fragment => {
  if (!part) return { parts: [], after: undefined }
  const { nodes, pageInfo } = valuesOf(valuesOf(record)[part.name])
  const { hasNextPage, endCursor } = valuesOf(pageInfo)
  if (!Array.isArray(nodes) || typeof hasNextPage !== 'boolean')
    throw new Error(`A record of Shopify has no nodes and pageInfo at ${part.name}.`)
  // Safe: members of a parsed JSON body.
  return { parts: nodes, after: hasNextPage ? (endCursor as Json) : undefined }
}

/** The record with its parts as a list. */
const withParts = (record: unknown, { part }: Selected, parts: readonly Json[]): Values =>
  part ? { ...valuesOf(record), [part.name]: parts } : valuesOf(record)

/** The record in the response; undefined if the shop has none with the id, or one of another type. */
const nodeIn = (response: AppResponse): Values | undefined => {
  const node = valuesOf(rootFields(response).node)
  return node.id === undefined ? undefined : node
}

const furtherParts = ({ part }: Selected, after: Json): PartPage => ({
  after,
  first: part?.page ?? 0,
})

/** Reads a record with all of its parts, as `get` of a writer. */
export const wholeRecord = (selected: Selected): ResourceWriter['get'] =>
  function* (id: string): Steps<Values | undefined> {
    const found: Json[] = []
    let page: PartPage = { after: null, first: selected.part?.first ?? 0 }
    for (;;) {
      const node = nodeIn(yield nodeRequest(selected, id, page))
      if (!node) return undefined
      const fragment = fragmentOf(node, selected)
      found.push(...fragment.parts)
      if (fragment.after === undefined) return withParts(node, selected, found)
      page = furtherParts(selected, fragment.after)
    }
  }

/** The records of a page that are still to be completed, and the parts of the first one. */
interface Open {
  readonly ids: readonly Json[]
  readonly parts: readonly Json[]
  readonly after: Json | undefined
}

const listAt = (position: ListPosition, name: string): readonly Json[] => {
  const list = memberOf(position.cursor, name)
  return Array.isArray(list) ? list : []
}

const openAt = (position: ListPosition): Open => ({
  ids: listAt(position, 'ids'),
  parts: listAt(position, 'parts'),
  after: memberOf(position.cursor, 'partsAfter'),
})

/** The cursor that first completes records, then continues with the page at `at`. */
const cursorOf = ({ ids, parts, after }: Open, at: Json | undefined): Json | undefined => {
  if (ids.length === 0) return at === undefined ? undefined : { at }
  const facts = { ids, ...(after !== undefined && { parts, partsAfter: after }) }
  return around(facts, at)
}

const NO_PARTS = { parts: [], after: undefined }

/** Completes the records of a pager. They are in the form of `selectionOf`. */
export const wholePages = (pager: Pager, selected: Selected): Pager => ({
  listRequest: (position) => {
    const { ids, after = null } = openAt(position)
    const [id] = ids
    return id === undefined
      ? pager.listRequest(inner(position))
      : nodeRequest(selected, id, furtherParts(selected, after))
  },
  readList: (response, position) => {
    const { ids, parts } = openAt(position)
    const at = memberOf(position.cursor, 'at')
    if (ids.length === 0) {
      const page = pager.readList(response, inner(position))
      const read = page.records.map((record) => ({ record, ...fragmentOf(record, selected) }))
      const open = read.filter(({ after }) => after !== undefined)
      const openIds = open.map(({ record }) => String(valuesOf(record).id))
      return {
        // The incomplete records of a page are completed before its next page is read.
        ...(openIds.length > 0
          ? { deleted: page.deleted ?? [] }
          : mapCursors(page, (cursor) => ({ at: cursor }))),
        records: read
          .filter(({ after }) => after === undefined)
          .map(({ record, parts }) => withParts(record, selected, parts)),
        next: cursorOf({ ids: openIds, ...NO_PARTS }, page.next),
      }
    }
    const node = nodeIn(response)
    // Deleted in the meantime.
    if (!node) return { records: [], next: cursorOf({ ids: ids.slice(1), ...NO_PARTS }, at) }
    const fragment = fragmentOf(node, selected)
    const found = [...parts, ...fragment.parts]
    if (fragment.after !== undefined)
      return { records: [], next: cursorOf({ ids, parts: found, after: fragment.after }, at) }
    return {
      records: [withParts(node, selected, found)],
      next: cursorOf({ ids: ids.slice(1), ...NO_PARTS }, at),
    }
  },
})
