import type { Catalogue } from '../src/definition/catalogue.ts'
import { operationInputShapes, resultShapes } from './operation-shapes.ts'

/** The named enumerations, which several fields share, e.g. `CurrencyCode`. */
export const sharedEnumerations = (catalogue: Catalogue): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...catalogue.resources, ...catalogue.shapes, ...resultShapes, ...operationInputShapes]
      .flatMap(({ fields }) => Object.values(fields))
      .flatMap(({ kind: { graphql } }) => {
        const { name, values = [] } = 'enumeration' in graphql ? graphql.enumeration : {}
        return name === undefined ? [] : [[name, values] as const]
      }),
  )
