/** The limits of GraphQL documents. */

/** Characters. */
export const MAX_LENGTH = 64 * 1024

// graphql-js locates each error by counting the lines before it, so many lines make errors slow.
export const MAX_LINES = 4000

export const MAX_TOKENS = 4000
export const MAX_DEPTH = 14
export const MAX_ALIASES = 50
export const MAX_DIRECTIVES = 50

/**
 * Fields of a result, counted before the operation runs. Enough for ten pages of 100 full records, or for 100 records
 * with 20 linked records each.
 */
export const MAX_COST = 50_000

/** Fields of the schema that cost as much as one field of a record: they are in memory. */
export const SCHEMA_FIELDS_PER_COST = 5
