/** The links of a level in the statement: the ids that they follow, and the values of a row that belong to them. */
import { Prisma } from '@prisma/client'
import type { Resource } from '../../definition/resource.ts'
import {
  countedSql,
  countsByPage,
  linkedCountSql,
  linkedRowsSql,
  totalSql,
} from './linked-count.ts'
import { recordSql } from './record-sql.ts'
import { pageTail } from './records.ts'
import type { PageLink, ReferenceLink, TreeLevel, TreeLink } from './tree.ts'

const { sql, raw, empty } = Prisma

/** The JSON text of the row `t`, as its level reads it. */
export const textOf = ({ resource, fields }: TreeLevel): Prisma.Sql => {
  const { part, plain } = recordSql(resource)
  return fields === undefined ? plain : part(fields)
}

/** The ids at a path of the row `t`: an id, or a list. */
const referenceSql = (
  resource: Resource,
  [field, ...names]: ReferenceLink['path'],
): { readonly ids: Prisma.Sql; readonly isList: boolean } => {
  const { column, columns } = recordSql(resource)
  const ids = raw(`t.${column(field)}`)
  if (names.length === 0) {
    const type = columns.find((candidate) => candidate.field === field)?.sqlType
    return { ids, isList: type === 'uuid[]' }
  }
  // In a lax path, a member of a list is that member of each entry.
  const path = `$${names.map((name) => `."${name}"`).join('')}[*]`
  return {
    ids: sql`ARRAY(SELECT (e #>> '{}')::uuid FROM jsonb_path_query(${ids}, ${raw(`'${path}'`)}) e
      WHERE jsonb_typeof(e) = 'string')`,
    isList: true,
  }
}

/** A link of a level in the statement. */
export interface PlacedLink<Link extends TreeLink = TreeLink> {
  readonly link: Link
  /** The column of the level's table that holds ids; undefined: none. */
  readonly ids?: { readonly name: Prisma.Sql; readonly isList: boolean; readonly from: Prisma.Sql }
  /** SQL for the value of the row `k` that belongs to the link; undefined: none. */
  readonly value?: Prisma.Sql
  /** The index of that value in a row. */
  readonly at: number
}

/** Whether the pages of a link are values of the rows to which they belong: one text for the records of each. */
export const isCopiedPage = ({ request, page }: PageLink): boolean =>
  page?.isCopied === true && !request.page.backward

/**
 * Two values of the row `k`: the number of linked records on all pages, and the texts of those on the page. Measured:
 * a row for each linked record, with the id of `k`, takes a twentieth more time.
 */
const copiedPageSql = (
  link: PageLink,
  level: TreeLevel,
  credentialIds: readonly string[],
): Prisma.Sql => {
  const { request, hasCount } = link
  const isCounted = countsByPage(link)
  const counted = isCounted ? sql`, ${countedSql(request)}` : empty
  const otherCount = hasCount ? linkedCountSql(link, credentialIds) : raw(`''`)
  const count = isCounted
    ? totalSql(raw('coalesce(min(t.counted), 0)'), link, credentialIds)
    : otherCount
  return sql`(SELECT ${count} || E'\\t' || coalesce(string_agg(t.line, ','), '')
    FROM (SELECT ${textOf(level)} AS line${counted} ${linkedRowsSql(request)}${pageTail(request, credentialIds, { limit: request.page.size })}) t)`
}

const pageValue = (link: PageLink, credentialIds: readonly string[]): Prisma.Sql | undefined => {
  if (link.page && isCopiedPage(link)) return copiedPageSql(link, link.page.level, credentialIds)
  return link.hasCount && !countsByPage(link) ? linkedCountSql(link, credentialIds) : undefined
}

/** Places the links of a level in its rows, which have other values before. */
export const placeLinks = (
  { resource, links }: TreeLevel,
  credentialIds: readonly string[],
  valuesBefore: number,
): readonly PlacedLink[] => {
  let next = valuesBefore
  return links.map((link, index): PlacedLink => {
    const at = next
    if (link.kind === 'page') {
      const value = pageValue(link, credentialIds)
      if (value === undefined) return { link, at: Number.NaN }
      next += isCopiedPage(link) ? 2 : 1
      return { link, at, value }
    }
    const { ids, isList } = referenceSql(resource, link.path)
    const column = `r${index}`
    const placed = { link, ids: { name: raw(column), isList, from: ids } }
    if (link.path.length > 1) return { ...placed, at: Number.NaN }
    const value = raw(
      isList ? `array_to_string(k.${column}, ',')` : `coalesce(k.${column}::text, '')`,
    )
    next += 1
    return { ...placed, at, value }
  })
}
