/** Checks that records read one at a time, or by their ids, equal the listed ones. */
import { isDeepStrictEqual } from 'node:util'
import { runSteps } from '../../../src/write/run-steps.ts'
import { type ListedResource, mapperOf } from './listing.ts'
import type { Findings } from './result.ts'
import type { Workbench } from './workbench.ts'

const READ_RECORDS = 5

/** Mapped records that exist, by remote id: the last one of each id. */
const rowsOf = (listed: ListedResource, records: readonly unknown[]) => {
  const map = mapperOf(listed)
  return new Map(
    records.flatMap((raw) => {
      const { row } = map(raw)
      return row.remoteDeleted === true ? [] : [[row.remoteId, row] as const]
    }),
  )
}

type Rows = ReturnType<typeof rowsOf>

/** A sample of the records, spread over the whole list. */
const sampleOf = (rows: Rows): Rows => {
  const step = Math.max(1, Math.floor(rows.size / READ_RECORDS))
  return new Map([...rows].filter((_, index) => index % step === 0).slice(0, READ_RECORDS))
}

const rowDifferences = (expected: Rows, actual: Rows): readonly string[] =>
  [...expected].flatMap(([id, row]) => {
    const other = actual.get(id)
    if (!other) return `${id} is missing`
    const fields = Object.keys(row).filter((name) => !isDeepStrictEqual(row[name], other[name]))
    return fields.length === 0 ? [] : `${id} differs in ${fields.join(', ')}`
  })

/** `get` of the writer returns a record as the listing does; undefined: the resource has no writer. */
export const checkGet = async (
  { appClient, connector, credential }: Workbench,
  listed: ListedResource,
): Promise<Findings | undefined> => {
  const { resource, context, records } = listed
  const { write } = resource
  if (!write) return
  const map = mapperOf(listed)
  const expected = sampleOf(rowsOf(listed, records))
  const actual: [string, ReturnType<typeof map>['row']][] = []
  for (const [remoteId, row] of expected) {
    const steps = write.get(remoteId, { remoteId, record: row }, context)
    const outcome = await runSteps(connector, steps, (request) =>
      appClient.send(connector, credential, request),
    )
    if (outcome.status !== 'done') throw 'error' in outcome ? outcome.error : outcome
    if (outcome.result !== undefined) actual.push([remoteId, map(outcome.result).row])
  }
  return {
    problems: rowDifferences(expected, new Map(actual)),
    summary: `${expected.size} records read`,
  }
}

/** `readMany` returns records as the listing does; undefined: the resource has none. */
export const checkReadMany = async (
  { appClient, connector, credential }: Workbench,
  listed: ListedResource,
): Promise<Findings | undefined> => {
  const { resource, context, records } = listed
  const { readMany } = resource
  if (!readMany) return
  const rows = [...rowsOf(listed, records)].slice(0, readMany.maxIds)
  if (rows.length === 0) return { problems: [], summary: 'no records' }
  const request = {
    ...readMany.request(
      rows.map(([id]) => id),
      context,
    ),
    read: true,
  } as const
  const read = readMany.read(await appClient.send(connector, credential, request), context)
  return {
    problems: rowDifferences(new Map(rows), rowsOf(listed, read)),
    summary: `${rows.length} records read at once`,
  }
}
