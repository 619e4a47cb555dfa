/** Copies the content of one database into another, whose version of PostgreSQL may be older or newer. */
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** A table and the number of its rows. */
export interface CopiedTable {
  readonly name: string
  readonly rows: number
}

interface Table {
  readonly name: string
  readonly columns: string
  /** The tables that its foreign keys reference. */
  readonly parents: readonly string[]
  readonly hasTriggers: boolean
}

interface Partition {
  readonly parent: string
  readonly name: string
  /** `FOR VALUES FROM … TO …` */
  readonly bound: string
}

// The target has the migrations of its own that created its tables.
const TABLES = `
  SELECT c.oid::regclass::text AS name,
    (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    ARRAY(SELECT confrelid::regclass::text FROM pg_constraint
      WHERE conrelid = c.oid AND contype = 'f' AND confrelid <> c.oid) AS parents,
    EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS "hasTriggers"
  FROM pg_class c
  WHERE c.relnamespace IN ('public'::regnamespace, 'change_log'::regnamespace)
    AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'
  ORDER BY c.oid`

const PARTITIONS = `
  SELECT i.inhparent::regclass::text AS parent, c.oid::regclass::text AS name,
    pg_get_expr(c.relpartbound, c.oid) AS bound
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relispartition AND c.relkind = 'r' ORDER BY c.oid`

const SEQUENCES = `
  SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS value
  FROM pg_sequences WHERE schemaname IN ('public', 'change_log') AND last_value IS NOT NULL`

const query = async <Row extends object>(client: Client, sql: string): Promise<Row[]> =>
  (await client.query<Row>(sql)).rows

/** Ordered so that the rows that a row references are copied before it. */
const inOrderOfReferences = (tables: readonly Table[]): readonly Table[] => {
  const sorted = new Map<string, Table>()
  while (sorted.size < tables.length) {
    const next = tables.filter(
      ({ name, parents }) => !sorted.has(name) && parents.every((parent) => sorted.has(parent)),
    )
    if (next.length === 0) throw new Error('Foreign keys reference each other in a circle.')
    for (const table of next) sorted.set(table.name, table)
  }
  return [...sorted.values()]
}

/** Gives the target, which has no changes yet, the partitions of the source. */
const copyPartitions = async (source: Client, target: Client): Promise<void> => {
  for (const { name } of await query<Partition>(target, PARTITIONS))
    await target.query(`DROP TABLE ${name}`)
  for (const { parent, name, bound } of await query<Partition>(source, PARTITIONS))
    await target.query(`CREATE TABLE ${name} PARTITION OF ${parent} ${bound}`)
}

const copyTable = async (
  source: Client,
  target: Client,
  { name, columns, hasTriggers }: Table,
): Promise<CopiedTable> => {
  // The rows are as the triggers of the source left them.
  if (hasTriggers) await target.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  const reading = source.query(copyTo(`COPY (SELECT ${columns} FROM ${name}) TO STDOUT`))
  const writing = target.query(copyFrom(`COPY ${name} (${columns}) FROM STDIN`))
  await pipeline(reading, writing)
  if (hasTriggers) await target.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  if (reading.rowCount !== writing.rowCount)
    throw new Error(`${name}: ${writing.rowCount} of ${reading.rowCount} rows arrived.`)
  return { name, rows: writing.rowCount }
}

const copyAll = async (source: Client, target: Client): Promise<CopiedTable[]> => {
  const [used] = await query<{ exists: boolean }>(
    target,
    'SELECT EXISTS (SELECT FROM organisations) AS exists',
  )
  if (used?.exists) throw new Error('The database already has data: expected an empty one.')
  const tables = inOrderOfReferences(await query<Table>(source, TABLES))
  // Rows that the migrations of the target inserted.
  await target.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
  await copyPartitions(source, target)
  const copied: CopiedTable[] = []
  for (const table of tables) copied.push(await copyTable(source, target, table))
  for (const { name, value } of await query<{ name: string; value: string }>(source, SEQUENCES))
    await target.query('SELECT setval($1, $2)', [name, value])
  return copied
}

/**
 * Copies all rows of a database into another one: all of them or, after an error, none. Both have the schema of
 * this version, and no service runs on either.
 *
 * @returns the tables that have rows
 * @throws Error if the target already has data, or a database cannot be reached
 */
export const copyDatabase = async (
  sourceUrl: string,
  targetUrl: string,
): Promise<readonly CopiedTable[]> => {
  const source = new Client({ connectionString: sourceUrl })
  const target = new Client({ connectionString: targetUrl })
  // A lost connection fails the current statement; an unhandled event would end the process.
  for (const client of [source, target]) client.on('error', () => {})
  try {
    await source.connect()
    await target.connect()
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await target.query('BEGIN')
    const copied = await copyAll(source, target)
    await target.query('COMMIT')
    // Otherwise the first queries would be planned for empty tables.
    await target.query('ANALYZE')
    return copied.filter(({ rows }) => rows > 0)
  } finally {
    await Promise.allSettled([source.end(), target.end()])
  }
}
