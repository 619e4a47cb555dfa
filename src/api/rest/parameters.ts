/** The query string of a REST call: known names, each given once. */

import { nearest } from '../../definition/catalogue.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { checkText } from '../../query/filter.ts'

export type QueryParameters = Readonly<Record<string, string>>

/** @throws INVALID_PARAMETER for a name given twice, or text that is not well formed */
export const readQuery = (query: unknown): QueryParameters => {
  const parameters: Record<string, string> = {}
  // Fastify parses a query string into texts, or lists of texts where a name repeats.
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    checkText('query', name)
    if (typeof value !== 'string') throw invalidParameter(name, 'one value, not several')
    parameters[name] = checkText(name, value)
  }
  return parameters
}

/** @throws INVALID_PARAMETER for a name that is not among the known */
export const refuseUnknown = (parameters: QueryParameters, known: readonly string[]): void => {
  for (const name of Object.keys(parameters))
    if (!known.includes(name))
      throw new ApiError('INVALID_PARAMETER', `${name} is not a parameter of this operation.`, [
        {
          field: name,
          expected: `a known parameter, such as ${nearest(name.slice(0, 64), known)}`,
        },
      ])
}
