/**
 * The baseline of a first sync of apps: a loop for each app that sends the requests of our sync again, one after the
 * other, and COPYs the elements of the lists in each response as `jsonb` into a table without keys and indexes:
 * no mapping, no change log, no comparison, no retries. A page is durable once it is copied. The loops of several
 * apps run at the same time. It receives the requests, waits for a message, so that its start is not measured, and
 * sends one when everything is copied. Env: DATABASE_URL.
 */
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { AppName } from './result.ts'
import type { SimulatorRequest } from './sync-simulator.ts'

/** The requests of our sync to one app. */
export interface AppRequests {
  readonly app: AppName
  readonly origin: string
  readonly requests: readonly SimulatorRequest[]
}

/** Headers that belong to the connection. */
const OF_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The elements of the outermost lists: the records of `{ data: { nodes: [...] } }`. */
const elementsIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value).flatMap(elementsIn) : []
}

/** The complete lines of a part of a file, or the elements of a response. */
const recordsIn = (text: string, mediaType: string): readonly string[] =>
  mediaType.includes('jsonl')
    ? text.split('\n').slice(0, -1)
    : elementsIn(JSON.parse(text)).map((element) => JSON.stringify(element))

/** One line in the text format of COPY. */
const copyLine = (app: AppName, record: string): string =>
  `${app}\t${record.replaceAll('\\', '\\\\')}\n`

const copyPages = async ({ app, origin, requests }: AppRequests): Promise<void> => {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  for (const { method, path, headers, body } of requests) {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)),
      ...(body !== '' && { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
    const records = recordsIn(text, response.headers.get('content-type') ?? '')
    const lines = records.map((record) => copyLine(app, record)).join('')
    const copy = client.query(copyFrom('COPY bare_records (app, record) FROM STDIN'))
    await pipeline([lines], copy)
  }
  await client.end()
}

process.once('message', (apps: readonly AppRequests[]) => {
  process.once('message', async () => {
    await Promise.all(apps.map(copyPages))
    process.send?.('done')
  })
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
