/** JSON values, as requests and responses carry them. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [name: string]: Json | undefined
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list in a body; none if the list is absent. */
export const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : [])
