/** Check that all contenders do the same work: a comparison of unequal responses is void. */
import { isDeepStrictEqual } from 'node:util'
import { request as send } from 'undici'
import type { AccountRecord, Contender } from './contender.ts'
import { type HttpRequest, PAGE_SIZE, type Question } from './question.ts'

const FIELDS = [
  ...['id', 'remoteId', 'remoteCreatedAt', 'remoteUpdatedAt', 'remoteDeleted', 'createdAt'],
  ...['updatedAt', 'remoteFields', 'accountName', 'accountOwner', 'description', 'industry'],
  ...['website', 'numberOfEmployees', 'lastActivityAt', 'addresses', 'phoneNumbers'],
].sort()

/** Sends one request. @returns the text of the response @throws Error unless the status is 200 */
export const fetchText = async (
  origin: string,
  { path, ...options }: HttpRequest,
): Promise<string> => {
  const response = await send(origin + path, options)
  const text = await response.body.text()
  if (response.statusCode === 200) return text
  throw new Error(
    `${options.method} ${path} answered ${response.statusCode}: ${text.slice(0, 1000)}`,
  )
}

/**
 * Sends every query to every contender and compares every field of each record with the first contender's.
 * @returns the length in bytes of each response, by contender and query
 * @throws Error that names the first difference
 */
export const verifyContenders = async (
  contenders: readonly Contender[],
  questions: readonly Question[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const lengths = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (const question of questions) {
    let expected: readonly AccountRecord[] | undefined
    for (const contender of contenders) {
      const text = await fetchText(contender.server.origin, contender.request(question))
      const records = contender.readRecords(JSON.parse(text))
      expected ??= checkWhole(contender.name, records)
      compare(contender, records, expected)
      lengths.get(contender.name)?.push(Buffer.byteLength(text))
    }
  }
  return lengths
}

const checkWhole = (name: string, records: readonly AccountRecord[]): readonly AccountRecord[] => {
  if (records.length !== PAGE_SIZE)
    throw new Error(`${name} returned ${records.length} records, expected ${PAGE_SIZE}.`)
  for (const record of records)
    if (!isDeepStrictEqual(Object.keys(record).sort(), FIELDS))
      throw new Error(`${name} returned the fields ${Object.keys(record)}, expected ${FIELDS}.`)
  return records
}

const compare = (
  { name, fields = FIELDS }: Contender,
  records: readonly AccountRecord[],
  expected: readonly AccountRecord[],
): void => {
  if (records.length !== expected.length)
    throw new Error(`${name} returned ${records.length} records, expected ${expected.length}.`)
  for (const [place, record] of records.entries())
    for (const field of new Set([...fields, ...Object.keys(record)])) {
      const [came, wanted] = [record[field], expected[place]?.[field]]
      if (!isDeepStrictEqual(came, wanted))
        throw new Error(
          `${name}: record ${place}, ${field}: ${JSON.stringify(came)}, expected ${JSON.stringify(wanted)}.`,
        )
    }
}
