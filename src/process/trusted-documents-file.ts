/** The file of trusted documents, as Relay and the client preset of GraphQL Code Generator write it. */
import { readFileSync } from 'node:fs'
import { isObject } from '../definition/value.ts'

const MAX_ID_LENGTH = 200

/**
 * Reads the texts of trusted documents by their ids: `{"<hash>": "query Accounts { … }"}`.
 * @throws Error naming the file and the entry
 */
export const readTrustedDocuments = (path: string): ReadonlyMap<string, string> => {
  const fail = (reason: string): never => {
    throw new Error(`TRUSTED_DOCUMENTS ${path}: ${reason}.`)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return fail(error instanceof SyntaxError ? 'it is not JSON' : 'the file cannot be read')
  }
  if (!isObject(parsed)) return fail('expected a JSON object of documents by their hashes')
  return new Map(
    Object.entries(parsed).map(([id, text]) => {
      if (id === '' || id.length > MAX_ID_LENGTH)
        return fail(
          `entry ${JSON.stringify(id)}: expected an id of 1 to ${MAX_ID_LENGTH} characters`,
        )
      if (typeof text !== 'string')
        return fail(`entry ${JSON.stringify(id)}: expected the text of a GraphQL document`)
      return [id, text]
    }),
  )
}
