/** The query string of a REST request: known names, at most once each. */
import { nearest } from '../../definition/nearest.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { checkText } from '../../query/filter.ts'

export type QueryParameters = Readonly<Record<string, string>>

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Rejects invalid percent-encoding, which Fastify's parser would pass on undecoded.
 * @throws INVALID_PARAMETER
 */
export const checkEncoding = (url: string): void => {
  if (!url.includes('%') || decode(url) !== undefined) return
  for (const pair of url.slice(url.indexOf('?') + 1).split('&'))
    if (decode(pair) === undefined)
      throw invalidParameter(
        checkText('query', decode(pair.split('=', 1)[0] ?? '') ?? 'query'),
        'percent-encoded UTF-8',
      )
}

/**
 * The parameters of a query string.
 * @param lists names of parameters that hold several values, separated by commas
 * @throws INVALID_PARAMETER for a repeated name or text that is not well formed
 */
export const readQuery = (query: unknown, lists: readonly string[] = []): QueryParameters =>
  // Built from entries because a parameter may be named __proto__. Fastify parses a query string into
  // strings, or arrays of strings where a name repeats.
  Object.fromEntries(
    Object.entries(query as Record<string, string | string[]>).map(([name, value]) => {
      checkText('query', name)
      if (typeof value !== 'string')
        throw invalidParameter(
          name,
          lists.includes(name)
            ? 'the parameter once, with values separated by commas'
            : 'the parameter once',
        )
      return [name, checkText(name, value, lists.includes(name))]
    }),
  )

/** Rejects unknown parameters. @throws INVALID_PARAMETER with the nearest known name */
export const rejectUnknownParameters = (
  parameters: QueryParameters,
  known: readonly string[],
): void => {
  for (const name of Object.keys(parameters))
    if (!known.includes(name)) {
      const near = nearest(name, known)
      const expected = near === undefined ? 'no parameters' : `a known parameter, such as ${near}`
      const message = `${name} is not a parameter of this operation: expected ${expected}.`
      throw new ApiError('INVALID_PARAMETER', message, [{ field: name, expected }])
    }
}
