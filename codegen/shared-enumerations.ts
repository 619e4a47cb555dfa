import type { Catalogue } from '../src/definition/catalogue.ts'
import type { Field } from '../src/definition/field.ts'
import { answeredShapes, givenShapes } from './operation-shapes.ts'

/** The enumerations that several fields share, by name: `CurrencyCode`. */
export const sharedEnumerations = (catalogue: Catalogue): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...catalogue.resources, ...catalogue.shapes, ...answeredShapes, ...givenShapes]
      .flatMap(({ fields }) => Object.values<Field>(fields))
      .flatMap((field) =>
        field.kind === 'enumeration' && field.enumName !== undefined
          ? [[field.enumName, field.values] as const]
          : [],
      ),
  )
