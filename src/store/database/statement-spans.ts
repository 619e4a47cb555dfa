/** A span for each SQL statement that is part of a trace, without its values. */
import type { PrismaPg } from '@prisma/adapter-pg'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { activeSpan, isTracing, type Span, type SpanAttributes, trace } from '../../tracing.ts'

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>
type Queryable = Pick<Adapter, 'queryRaw' | 'executeRaw'>

/** The limit of OpenTelemetry's semantic conventions. */
const MAX_SUMMARY_LENGTH = 255
const MAX_SUMMARIES = 1000

/** Words after FROM, JOIN or UPDATE that are no table. */
const NO_TABLE = new Set(['lateral', 'nowait', 'of', 'rows', 'set', 'skip'])

/** What a keyword does to the table after it. */
const verbOf = (keyword: string, before: string | undefined): string | undefined => {
  switch (keyword) {
    case 'into':
      return 'INSERT'
    case 'update':
      return 'UPDATE'
    case 'join':
      return 'SELECT'
    case 'from':
      if (before === 'distinct') return undefined
      return before === 'delete' ? 'DELETE' : 'SELECT'
    default:
      return undefined
  }
}

/** The names of common table expressions: before `AS (` or `AS MATERIALIZED (`. */
const commonTablesOf = (words: readonly string[]): ReadonlySet<string | undefined> =>
  new Set(
    words.flatMap((word, index) => {
      const next = words[index + 1] === 'materialized' ? words[index + 2] : words[index + 1]
      return word === 'as' && next === '(' ? [words[index - 1]] : []
    }),
  )

/**
 * What a statement does to which tables, without values: `INSERT crm_contacts SELECT credentials`.
 * @see https://opentelemetry.io/docs/specs/semconv/database/database-spans/
 */
export const summarize = (sql: string): string => {
  const text = sql.replaceAll(/--.*/g, '').toLowerCase()
  const words = text.match(/[\w."$]+|\(/g) ?? []
  const commonTables = commonTablesOf(words)
  const targets = words.flatMap((word, index) => {
    const verb = verbOf(word, words[index - 1])
    const name = words[index + 1] ?? ''
    if (verb === undefined || !/^["a-z_]/.test(name)) return []
    const isFunction = verb === 'SELECT' && words[index + 2] === '('
    if (isFunction || NO_TABLE.has(name) || commonTables.has(name)) return []
    return [`${verb} ${name.replaceAll('"', '').replace(/^public\./, '')}`]
  })
  const summary = [...new Set(targets)].join(' ').slice(0, MAX_SUMMARY_LENGTH)
  return summary || (words[0] ?? '').toUpperCase()
}

/** PostgreSQL's code of an error; undefined: it has none. */
const sqlStateOf = (error: unknown): string | undefined => {
  if (error instanceof pg.DatabaseError) return error.code
  const { originalCode } = Object(Object(error).cause)
  return typeof originalCode === 'string' ? originalCode : undefined
}

type Run = <Result>(sql: string, work: () => Promise<Result>) => Promise<Result>

/** A function that runs a statement in a span, if it is part of a trace. */
export const createStatementTracer = (url: string): Run => {
  const { hostname, port, pathname } = new URL(url)
  const common: SpanAttributes = {
    'db.system.name': 'postgresql',
    'db.namespace': decodeURIComponent(pathname.slice(1)),
    'server.address': hostname,
    'server.port': Number(port || 5432),
  }
  const summaries = new LRUCache<string, string>({ max: MAX_SUMMARIES })
  const summaryOf = (sql: string): string => {
    const known = summaries.get(sql)
    if (known !== undefined) return known
    const summary = summarize(sql)
    summaries.set(sql, summary)
    return summary
  }
  const runIn = async <Result>(work: () => Promise<Result>, span?: Span): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      span?.set({ 'db.response.status_code': sqlStateOf(error) })
      throw error
    }
  }
  return (sql, work) => {
    // The statements of the background, such as the renewals of leases, belong to no trace.
    if (activeSpan()?.traceparent === undefined) return work()
    const name = summaryOf(sql)
    const attributes = { ...common, 'db.query.summary': name }
    return trace(
      () => ({ name, kind: 'client', attributes }),
      (span) => runIn(work, span),
    )
  }
}

const traceQueries = <Q extends Queryable>(queryable: Q, run: Run): Q => {
  const queryRaw = queryable.queryRaw.bind(queryable)
  const executeRaw = queryable.executeRaw.bind(queryable)
  return Object.assign(queryable, {
    queryRaw: (query) => run(query.sql, () => queryRaw(query)),
    executeRaw: (query) => run(query.sql, () => executeRaw(query)),
  } satisfies Queryable)
}

/** The same adapter, which traces its statements if anything is traced. */
export const traceStatements = (factory: PrismaPg, url: string): PrismaPg => {
  if (!isTracing()) return factory
  const run = createStatementTracer(url)
  const connect = factory.connect.bind(factory)
  return Object.assign(factory, {
    connect: async () => {
      const adapter = traceQueries(await connect(), run)
      const startTransaction = adapter.startTransaction.bind(adapter)
      return Object.assign(adapter, {
        startTransaction: async (...options: Parameters<Adapter['startTransaction']>) =>
          traceQueries(await run('BEGIN', () => startTransaction(...options)), run),
      })
    },
  })
}
