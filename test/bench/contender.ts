/** A contender: a server, its request format, and the path to the records in its response. */
import { fileURLToPath } from 'node:url'
import { type Server, startServer } from './process.ts'
import { type HttpRequest, type Question, restRequest } from './question.ts'

export type AccountRecord = Readonly<Record<string, unknown>>

export type ContenderName =
  | 'yardstick'
  | 'rest-list'
  | 'graphql-list'
  | 'graphql-few-fields'
  | 'postgraphile-list'

export interface Contender {
  readonly name: ContenderName
  readonly server: Server
  /** The fields of its records; undefined: all. */
  readonly fields?: readonly string[]
  request(question: Question): HttpRequest
  /** The records in the parsed response, in the names of the contract. */
  readRecords(response: unknown): readonly AccountRecord[]
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** The path through objects to a list of records. @throws Error if there is none */
export const recordsAt = (
  response: unknown,
  ...path: readonly string[]
): readonly AccountRecord[] => {
  let value = response
  for (const key of path)
    value = value !== null && typeof value === 'object' ? Reflect.get(value, key) : undefined
  if (Array.isArray(value)) return value
  throw new Error(`No list at ${path.join('.')} in ${JSON.stringify(response).slice(0, 1000)}`)
}

/** `node:http`, `pg` and `JSON.stringify`. */
export const startYardstick = async (databaseUrl: string): Promise<Contender> => ({
  name: 'yardstick',
  server: await startServer({
    name: 'yardstick',
    script: pathOf('yardstick.ts'),
    env: { DATABASE_URL: databaseUrl },
  }),
  request: (question) => restRequest(question),
  readRecords: (response) => recordsAt(response, 'accounts'),
})
