/** The types of JSON values and JSON schemas. */

/** Any parsed JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** A JSON schema in the dialect of OpenAPI 3.1 (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A `$ref` to a schema in the components of the OpenAPI document. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
