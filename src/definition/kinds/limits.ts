/** The limits of input. */

/** The greatest integer; the least is its negative. */
export const INT32_MAX = 2_147_483_647
/** Characters in a query parameter. */
export const MAX_TEXT_LENGTH = 1000
/** Characters in a query parameter with a list of values. */
export const MAX_LIST_LENGTH = 10_000
/** Values in a filter by several values. */
export const MAX_FILTER_VALUES = 100
/** Characters in one text of a request body. Notes may be long; the size of the body is limited separately. */
export const MAX_INPUT_TEXT = 100_000
/** Entries in a list. */
export const MAX_INPUT_ENTRIES = 1000
/** Characters in an identifier. */
export const MAX_INPUT_ID = 512
/** Characters in a decimal number. */
export const MAX_INPUT_DIGITS = 60
/** Issues reported for one input. */
export const MAX_ISSUES = 100
