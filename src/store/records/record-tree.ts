/** Reads records together with the records linked to them, to any depth, in one statement. */
import { Prisma } from '@prisma/client'
import type { ListRequest } from '../../query/list-request.ts'
import type { Database } from '../database/database.ts'
import { recordSql } from './record-sql.ts'
import { countSql, pageRows, type RecordKey, type RecordPage, toPage } from './records.ts'
import type { LinkedRows, TreeLevel, TreePage, TreeRow } from './tree.ts'
import {
  addLevel,
  cursorOrderOf,
  numbered,
  positionText,
  type ReadLevel,
  type Result,
  type Statement,
  sizesOf,
  statementSql,
} from './tree-statement.ts'

const { sql } = Prisma

const run = async ({ queryRows }: Database, statement: Statement): Promise<Result> => {
  const text = statementSql(statement)
  if (text === undefined) return {}
  const [row = {}] = await queryRows<Result>(text)
  return row
}

/** A page of records with the records linked to them. */
export interface TreeList {
  readonly page: RecordPage<TreeRow>
  /** The number of records on all pages; 0 if it was not requested. */
  readonly total: number
  readonly links: readonly LinkedRows[]
}

const addRoot = (statement: Statement, request: ListRequest, page: TreePage): ReadLevel => {
  const { limit, shown } = sizesOf(request, page)
  return addLevel(statement, page.level, {
    isLinked: false,
    shown,
    order: cursorOrderOf(request, page),
    rows: (columns) => numbered(pageRows(request, columns, limit), shown),
  })
}

/** Reads a page of records of one or more credentials, and the records linked to them. One statement. */
export const listTree = async (
  database: Database,
  request: ListRequest,
  { page, hasCount }: { readonly page: TreePage | undefined; readonly hasCount: boolean },
): Promise<TreeList> => {
  const statement: Statement = {
    credentialIds: request.credentialIds,
    total: hasCount ? countSql(request) : undefined,
    levels: [],
  }
  const order = page && cursorOrderOf(request, page)
  const read = page && addRoot(statement, request, page)
  const result = await run(database, statement)
  const { rows, links } = read?.(result) ?? { rows: [], links: [] }
  return {
    page: toPage(request, rows, positionText(order, 1)),
    total: Number(result.total ?? 0),
    links,
  }
}

/** A record with the records linked to it. */
export interface TreeRecord {
  /** Undefined: the record does not exist. */
  readonly row: TreeRow | undefined
  readonly links: readonly LinkedRows[]
}

/** Reads one record and the records linked to it. One statement. */
export const getTree = async (
  database: Database,
  { credentialId, id }: RecordKey,
  level: TreeLevel,
): Promise<TreeRecord> => {
  const statement: Statement = { credentialIds: [credentialId], levels: [] }
  const { table } = recordSql(level.resource)
  const read = addLevel(statement, level, {
    isLinked: false,
    rows: (columns) => sql`SELECT ${columns} FROM ${table} t
      WHERE t.credential_id = ${credentialId}::uuid AND t.id = ${id}::uuid`,
  })
  const { rows, links } = read(await run(database, statement))
  return { row: rows[0], links }
}
