/** Validates the values of a credential against the fields of the app's manifest. */
import { methodOf } from '../definition/authenticate.ts'
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { object, text } from '../definition/field.ts'
import { nearest } from '../definition/nearest.ts'
import { invalidParameter } from '../errors.ts'
import { readInput } from '../query/input.ts'
import type { ApiContext } from './context.ts'

// Control characters are invalid in headers and URLs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
const CONTROL = /[\u0000-\u001f\u007f]/
const MAX_VALUE = 4096

/** The connector of an app. @throws INVALID_PARAMETER with the nearest app name */
export const requireApp = (
  { connectors }: Pick<ApiContext, 'connectors'>,
  app: string,
): Connector => {
  const connector = connectors.get(app)
  if (connector) return connector
  throw invalidParameter('app', `an app, such as ${nearest(app, connectors.keys())}`)
}

/**
 * Reads the values that an end user enters for a method of an app.
 * @throws INVALID_PARAMETER naming the field: `credential.apiKey`
 */
export const readCredentialValues = (
  { name, auth }: Connector,
  method: string,
  input: unknown,
): CredentialValues => {
  const declared = methodOf(auth, method)?.fields ?? {}
  const fields = Object.fromEntries(
    Object.entries(declared).map(([key, { doc, optional }]) => [
      key,
      text(doc, { required: !optional }),
    ]),
  )
  const field = object({ name, doc: name, fields }, `The credential fields of ${name}.`, {
    required: true,
  })
  const { credential: read } = readInput({ credential: field }, { credential: input })
  // The fields above validated an object of strings; an optional field may be null.
  const values = Object.entries(read as Readonly<Record<string, string | null>>)
  return Object.fromEntries(
    values.flatMap(([key, value]) => {
      const path = `credential.${key}`
      if (value === null || (value === '' && declared[key]?.optional)) return []
      if (value.trim() === '') throw invalidParameter(path, 'a value (required)')
      if (CONTROL.test(value) || value.length > MAX_VALUE)
        throw invalidParameter(path, `at most ${MAX_VALUE} characters, without control characters`)
      return [[key, value]]
    }),
  )
}
