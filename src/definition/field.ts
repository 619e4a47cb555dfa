/**
 * Constructors for the fields of a resource. A field has a kind, a description and filters. Everything else
 * (column, GraphQL type, JSON schema, query parameters) is derived from its kind.
 */
import type { Fields, Shape } from './kinds/kind.ts'

export { boolean } from './kinds/boolean.ts'
export { date } from './kinds/date.ts'
export { decimal } from './kinds/decimal.ts'
export { enumeration } from './kinds/enumeration.ts'
export { integer } from './kinds/integer.ts'
export { json } from './kinds/json.ts'
export type { Field, Fields, Shape } from './kinds/kind.ts'
export { label } from './kinds/label.ts'
export { list } from './kinds/list.ts'
export { number } from './kinds/number.ts'
export { object } from './kinds/object.ts'
export { reference } from './kinds/reference.ts'
export { references } from './kinds/references.ts'
export { text } from './kinds/text.ts'
export { texts } from './kinds/texts.ts'
export { timestamp } from './kinds/timestamp.ts'

/** Defines a nested object: its name, description and fields. */
export const defineShape = <const F extends Fields>(shape: Shape<F>): Shape<F> => shape
