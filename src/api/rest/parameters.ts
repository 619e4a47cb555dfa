/** The query string of a REST call: known names, each given once. */

import { nearest } from '../../definition/catalogue.ts'
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
 * Refuses percent-encoding that Fastify's parser would take as it is written.
 * @throws INVALID_PARAMETER
 */
export const checkEncoding = (url: string): void => {
  if (!url.includes('%') || decode(url) !== undefined) return
  for (const pair of url.slice(url.indexOf('?') + 1).split('&'))
    if (decode(pair) === undefined)
      throw invalidParameter(
        checkText('query', decode(pair.split('=', 1)[0] ?? '') ?? 'query'),
        'UTF-8, percent-encoded',
      )
}

/**
 * `lists`: the names whose text is several values.
 * @throws INVALID_PARAMETER for a name given twice, or text that is not well formed
 */
export const readQuery = (query: unknown, lists: readonly string[] = []): QueryParameters =>
  // From entries: a parameter may be called __proto__. Fastify parses a query string into texts, or lists
  // of texts where a name repeats.
  Object.fromEntries(
    Object.entries(query as Record<string, string | string[]>).map(([name, value]) => {
      checkText('query', name)
      if (typeof value !== 'string')
        throw invalidParameter(
          name,
          lists.includes(name)
            ? 'one value, its parts separated by commas'
            : 'one value, not several',
        )
      return [name, checkText(name, value)]
    }),
  )

/** @throws INVALID_PARAMETER for a name that is not among the known */
export const refuseUnknown = (parameters: QueryParameters, known: readonly string[]): void => {
  for (const name of Object.keys(parameters))
    if (!known.includes(name)) {
      const near = nearest(name.slice(0, 64), known)
      throw new ApiError('INVALID_PARAMETER', `${name} is not a parameter of this operation.`, [
        {
          field: name,
          expected: near === undefined ? 'no parameters' : `a known parameter, such as ${near}`,
        },
      ])
    }
}
