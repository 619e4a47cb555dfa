/** What an end user gives to connect an app, read by what the app's manifest asks for. */
import { nearest } from '../definition/catalogue.ts'
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { object, text } from '../definition/field.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { readInput } from '../query/input.ts'
import type { ApiContext } from './context.ts'

// What no header or address takes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/
const MAX_VALUE = 4096

/** The app of that name. @throws INVALID_PARAMETER naming the nearest */
export const requireApp = (
  { connectors }: Pick<ApiContext, 'connectors'>,
  app: string,
): Connector => {
  const found = connectors.get(app)
  if (found) return found
  throw new ApiError('INVALID_PARAMETER', 'app: there is no app of this name.', [
    { field: 'app', expected: `an app, such as ${nearest(app.slice(0, 64), connectors.keys())}` },
  ])
}

/** @throws INVALID_PARAMETER naming the field: `credential.apiKey` */
export const readCredentialValues = (
  { name, credential }: Connector,
  given: unknown,
): CredentialValues => {
  const fields = Object.fromEntries(
    Object.entries(credential).map(([key, { doc, optional }]) => [
      key,
      text(doc, { required: !optional }),
    ]),
  )
  const asked = object({ name, doc: name, fields }, `What ${name} asks for.`, { required: true })
  const { credential: read } = readInput({ credential: asked }, { credential: given })
  // An object of texts, by the fields above; null where an optional one was given as such.
  const values = Object.entries(read as Readonly<Record<string, string | null>>)
  return Object.fromEntries(
    values.flatMap(([key, value]) => {
      const path = `credential.${key}`
      if (value === null || (value === '' && credential[key]?.optional)) return []
      if (value.trim() === '') throw invalidParameter(path, 'a value (required)')
      if (CONTROL.test(value) || value.length > MAX_VALUE)
        throw invalidParameter(
          path,
          `at most ${MAX_VALUE} characters, none of them a control character`,
        )
      return [[key, value]]
    }),
  )
}
