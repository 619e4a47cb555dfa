/** Reads rows past Prisma's client: its promises keep a result in memory until the next full garbage collection. */
import type { PrismaPg } from '@prisma/adapter-pg'
import type { Prisma } from '@prisma/client'

/**
 * Runs a statement outside transactions and returns its rows, with the values of the adapter: text and numbers are as
 * from Prisma. For statements that return large texts; measured for 80 kB: 0.14 ms of CPU instead of 0.33.
 * @throws DriverAdapterError
 */
export type ReadRows = <Row>(statement: Prisma.Sql) => Promise<readonly Row[]>

// As for Prisma's own raw statements, the adapter then passes the values to PostgreSQL as they are.
const UNTYPED = { scalarType: 'unknown', arity: 'scalar' } as const

/** Creates the function that reads through an adapter; `onStatement` receives the text of each statement. */
export const createReadRows = (
  factory: PrismaPg,
  onStatement: ((sql: string) => void) | undefined,
): ReadRows => {
  let adapter: ReturnType<PrismaPg['connect']> | undefined
  return async <Row>({ text, values }: Prisma.Sql): Promise<readonly Row[]> => {
    // It shares the pool; only the statement opens a connection.
    adapter ??= factory.connect()
    const queryable = await adapter
    onStatement?.(text)
    const { columnNames, rows } = await queryable.queryRaw({
      sql: text,
      args: values,
      argTypes: values.map(() => UNTYPED),
    })
    // Safe: the caller names the columns in its statement.
    return rows.map((row) =>
      Object.fromEntries(columnNames.map((name, index) => [name, row[index]])),
    ) as Row[]
  }
}
