/** The statement that reads a tree of records: with links, each level is a common table expression. */
import { Prisma } from '@prisma/client'
import type { Order } from '../../query/cursor.ts'
import { countedSql, countsByPage, linkedRowsSql, totalSql } from './linked-count.ts'
import { recordSql } from './record-sql.ts'
import { type PageShape, pageTail, splitLines, toPage } from './records.ts'
import {
  type LinkedPages,
  type LinkedRows,
  type PageLink,
  type ReferencedRows,
  type ReferenceLink,
  rowIdOf,
  type TreeLevel,
  type TreePage,
  type TreeRow,
} from './tree.ts'
import { isCopiedPage, type PlacedLink, placeLinks, textOf } from './tree-links.ts'

const { sql, raw, join, empty } = Prisma

/** The index of the id of the record to which a linked record belongs. */
const PARENT = 1

// JSON text contains neither tabs nor line breaks: both are escaped.
const toRow = (line: string, customFieldsAt: number | undefined): TreeRow => {
  const values = line.split('\t')
  const customFields = (customFieldsAt === undefined ? undefined : values[customFieldsAt]) ?? 'null'
  return { text: values[0] ?? '', customFields, values }
}

/** A level of a statement: the rows `k` that it reads, and their lines in a column of the result. */
interface StatementLevel {
  readonly name: string
  readonly rows: Prisma.Sql
  readonly lines: Prisma.Sql
}

/** A statement in parts. */
export interface Statement {
  readonly credentialIds: readonly string[]
  /** The number of records on all pages of the root list; undefined: not requested. */
  readonly total?: Prisma.Sql | undefined
  readonly levels: StatementLevel[]
}

export type Result = Readonly<Record<string, string | number | null>>

interface LevelRows {
  readonly rows: readonly TreeRow[]
  readonly links: readonly LinkedRows[]
}

export type ReadLevel = (result: Result) => LevelRows

/** Where the rows of a level come from. */
interface Source {
  /** The rows `t`, from which the statement selects these columns. */
  rows(columns: Prisma.Sql): Prisma.Sql
  /** Whether the rows belong to the rows `k` of the level above, whose id is then their value `PARENT`. */
  readonly isLinked: boolean
  /** The number of rows in a page whose linked records are read; undefined: all rows. */
  readonly shown?: number | undefined
  /** The order in which the position of a row is its next value, as JSON text. */
  readonly order?: Order | undefined
  /** Whether the rows have a column `total`, which is their last value. */
  readonly hasTotal?: boolean
}

const CUSTOM_FIELDS = raw(`coalesce(t.custom_fields::text, 'null')`)

/** Numbers the rows of a page, and marks the first as `shown`. */
export const numbered = (rows: Prisma.Sql, shown: number | undefined): Prisma.Sql =>
  shown === undefined ? rows : sql`SELECT t.*, row_number() OVER () AS place FROM (${rows}) t`

/** The number of rows of a page to read, and of those to show if links make the difference. */
export const sizesOf = ({ page }: PageShape, { detectsMore, level }: TreePage) => ({
  limit: page.size + Number(detectsMore),
  shown: detectsMore && level.links.length > 0 ? page.size : undefined,
})

export const cursorOrderOf = (
  { order }: PageShape,
  { hasCursors, level }: TreePage,
): Order | undefined => (hasCursors && level.fields !== undefined ? order : undefined)

/** The rows of a level as `k`, from which linked records are read. */
interface Parent {
  readonly name: Prisma.Sql
  readonly shown: number | undefined
}

const addPages = (
  statement: Statement,
  { name, shown: parentShown }: Parent,
  { link, at }: PlacedLink<PageLink>,
): ((result: Result) => LinkedPages) => {
  const { request, page } = link
  const isCopied = isCopiedPage(link)
  if (page === undefined || isCopied)
    return () => ({
      kind: 'page',
      links: [],
      countOf: (row) => Number(row.values[at]),
      pageOf: () => toPage(request, [], rowIdOf),
      textOf: (row) => (isCopied ? row.values[at + 1] : undefined),
    })
  const { limit, shown } = sizesOf(request, page)
  const order = cursorOrderOf(request, page)
  const isShown = parentShown === undefined ? empty : sql` WHERE k.place <= ${parentShown}`
  const hasTotal = countsByPage(link)
  const read = addLevel(statement, page.level, {
    isLinked: true,
    shown,
    order,
    hasTotal,
    rows: (columns) => {
      const counted = hasTotal ? sql`, ${countedSql(request)}` : empty
      const total = hasTotal
        ? sql`, ${totalSql(raw('t.counted'), link, statement.credentialIds)} AS total`
        : empty
      const rows = sql`SELECT ${columns}${counted} ${linkedRowsSql(request)}${pageTail(request, statement.credentialIds, { limit })}`
      return sql`SELECT t.*${total} FROM ${name} k CROSS JOIN LATERAL (${numbered(rows, shown)}) t${isShown}`
    },
  })
  return (result) => {
    const { rows, links } = read(result)
    const pages = Map.groupBy(rows, ({ values }) => values[PARENT])
    const rowsOf = (row: TreeRow): readonly TreeRow[] => pages.get(rowIdOf(row)) ?? []
    return {
      kind: 'page',
      links,
      countOf: (row) => Number(hasTotal ? (rowsOf(row)[0]?.values.at(-1) ?? 0) : row.values[at]),
      pageOf: (row) => toPage(request, rowsOf(row), positionText(order, PARENT + 1)),
      textOf: () => undefined,
    }
  }
}

const addReferenced = (
  statement: Statement,
  { name, shown }: Parent,
  { link, ids, at }: PlacedLink<ReferenceLink>,
): ((result: Result) => ReferencedRows) => {
  if (ids === undefined) throw new TypeError(`The reference ${link.path.join('.')} has no ids.`)
  const { table } = recordSql(link.level.resource)
  const isShown = shown === undefined ? empty : sql` AND k.place <= ${shown}`
  const keys = ids.isList
    ? sql`SELECT DISTINCT k.credential_id, r.id FROM ${name} k
        CROSS JOIN LATERAL unnest(k.${ids.name}) AS r(id) WHERE true${isShown}`
    : sql`SELECT DISTINCT k.credential_id, k.${ids.name} AS id FROM ${name} k
        WHERE k.${ids.name} IS NOT NULL${isShown}`
  const read = addLevel(statement, link.level, {
    isLinked: false,
    // With the limit, PostgreSQL looks up each key; it would otherwise choose a join by statistics.
    rows: (columns) => sql`SELECT t.* FROM (${keys}) k CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table} t
      WHERE t.credential_id = k.credential_id AND t.id = k.id LIMIT 1) t`,
  })
  return (result) => {
    const { rows, links } = read(result)
    const byId = new Map(rows.map((row) => [rowIdOf(row), row]))
    return {
      kind: 'reference',
      links,
      idsOf: ({ values }) => values[at]?.split(',').filter((id) => id !== '') ?? [],
      find: (id) => byId.get(id),
    }
  }
}

/** Returns the text for a row's cursor: its value at this index if its text may lack the order's field. */
export const positionText =
  (order: Order | undefined, at: number) =>
  ({ text, values }: TreeRow): string =>
    order === undefined ? text : (values[at] ?? '')

/** The SQL of a statement; undefined if it reads nothing. */
export const statementSql = ({ total, levels }: Statement): Prisma.Sql | undefined => {
  const count = total ? [sql`(${total}) AS total`] : []
  const [first, ...others] = levels
  if (first === undefined) return total && sql`SELECT ${join(count)}`
  // Measured: PostgreSQL takes a sixth more time for the same rows from a common table expression.
  if (others.length === 0)
    return sql`SELECT ${join([...count, sql`${first.lines} AS ${raw(first.name)}`])} FROM (${first.rows}) k`
  const tables = levels.map(({ name, rows }) => sql`${raw(name)} AS (${rows})`)
  const columns = levels.map(
    ({ name, lines }) => sql`(SELECT ${lines} FROM ${raw(name)} k) AS ${raw(name)}`,
  )
  return sql`WITH ${join(tables)} SELECT ${join([...count, ...columns])}`
}

/** Adds a level and the levels below to a statement, and returns the function that reads them from its result. */
export const addLevel = (statement: Statement, level: TreeLevel, source: Source): ReadLevel => {
  const { resource } = level
  const name = `l${statement.levels.length}`
  const ownValues = [
    ...(source.isLinked ? [raw('k.id')] : []),
    ...(source.order
      ? [recordSql(resource).part(new Set(source.order.map(({ field }) => field)))]
      : []),
    ...(level.hasCustomFields ? [CUSTOM_FIELDS] : []),
  ]
  const customFieldsAt = level.hasCustomFields ? ownValues.length : undefined
  const links = placeLinks(level, statement.credentialIds, ownValues.length + 1)
  const columns = [
    ...(links.length > 0 ? [raw('t.credential_id'), raw('t.id')] : []),
    ...links.flatMap(({ ids }) => (ids ? [sql`${ids.from} AS ${ids.name}`] : [])),
    sql`${join([textOf(level), ...ownValues], ` || E'\\t' || `)} AS line`,
  ]
  const values = [
    ...links.flatMap(({ value }) => (value ? [value] : [])),
    ...(source.hasTotal ? [raw('k.total')] : []),
  ]
  statement.levels.push({
    name,
    rows: source.rows(join(columns)),
    lines: sql`string_agg(${join([raw('k.line'), ...values], ` || E'\\t' || `)}, E'\\n')`,
  })
  const parent = { name: raw(name), shown: source.shown }
  const readLinks = links.map((placed) => {
    const { link } = placed
    return link.kind === 'page'
      ? addPages(statement, parent, { ...placed, link })
      : addReferenced(statement, parent, { ...placed, link })
  })
  return (result) => ({
    rows: splitLines(result[name] as string | null).map((line) => toRow(line, customFieldsAt)),
    links: readLinks.map((read) => read(result)),
  })
}
