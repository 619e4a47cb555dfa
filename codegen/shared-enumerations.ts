import type { Catalogue } from '../src/definition/catalogue.ts'
import type { Enumeration } from '../src/definition/kinds/kind.ts'
import { operationInputShapes, resultShapes } from './operation-shapes.ts'

/** The named enumerations, which several fields share, by name: `CurrencyCode`. */
export const sharedEnumerations = (catalogue: Catalogue): ReadonlyMap<string, Enumeration> =>
  new Map(
    [...catalogue.resources, ...catalogue.shapes, ...resultShapes, ...operationInputShapes]
      .flatMap(({ fields }) => Object.values(fields))
      .flatMap(({ kind: { graphql } }) => {
        const enumeration = 'enumeration' in graphql ? graphql.enumeration : undefined
        return enumeration?.name === undefined ? [] : [[enumeration.name, enumeration] as const]
      }),
  )
