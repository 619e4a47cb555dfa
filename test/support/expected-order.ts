/** The expected order of a list, computed without the code under test. */
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import type { Order } from '../../src/query/cursor.ts'
import type { Database } from '../../src/store/database/database.ts'

/** A record in a response. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string }

/** The digits times 10^20 as an integer, because a double would round them. */
const toScaled = (digits: string): bigint => {
  const [, sign, integer = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits) ?? []
  const value = BigInt(integer + fraction.padEnd(20, '0'))
  return sign === '-' ? -value : value
}

/** The rank of each text in the collation of the database. */
const rankTexts = async (
  { prisma }: Database,
  texts: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await prisma.$queryRaw<{ value: string; rank: bigint }[]>`
    SELECT value, rank() OVER (ORDER BY value) AS rank FROM unnest(${[...new Set(texts)]}::text[]) AS u(value)`
  return new Map(rows.map(({ value, rank }) => [value, Number(rank)]))
}

type Sortable = number | bigint | null

/** The values of a field that sort as the database sorts them; null for records without a value. */
const sortableValues = async (
  database: Database,
  resource: Resource,
  rows: readonly RecordRow[],
  field: string,
): Promise<readonly Sortable[]> => {
  const kind = resource.allFields[field]?.kind.name
  const values = rows.map((row) => row[field] ?? null)
  const rankOf =
    kind === 'text' || kind === 'enumeration'
      ? await rankTexts(
          database,
          values.filter((value): value is string => typeof value === 'string'),
        )
      : undefined
  return values.map((value) => {
    if (value === null) return null
    if (rankOf) return rankOf.get(String(value)) ?? null
    if (kind === 'number' || kind === 'decimal') return toScaled(String(value))
    return typeof value === 'number' ? value : Date.parse(String(value))
  })
}

const compare = (a: Sortable, b: Sortable, descending: boolean): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return (descending ? -1 : 1) * (a < b ? -1 : 1)
}

/** The ids in the expected order: records without a value last, ties ordered by id. */
export const expectedIds = async (
  database: Database,
  resource: Resource,
  rows: readonly RecordRow[],
  order: Order,
): Promise<readonly string[]> => {
  const columns = await Promise.all(
    order.map(({ field }) => sortableValues(database, resource, rows, field)),
  )
  const sign = order.at(-1)?.isDescending ? -1 : 1
  return rows
    .map(({ id }, index) => ({ id, values: columns.map((column) => column[index] ?? null) }))
    .sort((a, b) => {
      for (const [index, { isDescending }] of order.entries()) {
        const difference = compare(a.values[index] ?? null, b.values[index] ?? null, isDescending)
        if (difference !== 0) return difference
      }
      return sign * (a.id < b.id ? -1 : 1)
    })
    .map(({ id }) => id)
}

export const idsOf = (records: readonly { readonly id: string }[]): string[] =>
  records.map(({ id }) => id)
