/** The description of the schema: how to call it, its limits and its error codes. */
import { errorCodes } from '../../errors.ts'
import {
  MAX_FILTER_CONDITIONS,
  MAX_FILTER_LEVELS,
  MAX_INPUT_VALUES,
} from '../../query/filter-input.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../query/list-request.ts'
import { MAX_CREDENTIALS } from '../auth/caller.ts'
import {
  MAX_ALIASES,
  MAX_COST,
  MAX_DEPTH,
  MAX_DIRECTIVES,
  MAX_LENGTH,
  MAX_LINES,
  MAX_TOKENS,
  SCHEMA_FIELDS_PER_COST,
} from './limits.ts'

const count = (value: number): string => value.toLocaleString('en')

const limits: readonly string[] = [
  `A document: ${count(MAX_LENGTH)} characters, ${count(MAX_LINES)} lines, ${count(MAX_TOKENS)} tokens, ${MAX_DEPTH} levels, ${MAX_ALIASES} aliases, ${MAX_DIRECTIVES} directives, and \`__schema\` or \`__type\` once.`,
  `A result: ${count(MAX_COST)} fields, estimated from the selection and the page sizes before the operation runs; ${SCHEMA_FIELDS_PER_COST} fields of the schema itself count as one. Above a limit of the document or the result, the error is QUERY_TOO_COMPLEX.`,
  `A page: ${MAX_PAGE_SIZE} records; the default is ${DEFAULT_PAGE_SIZE}.`,
  `A list: ${MAX_CREDENTIALS} credentials.`,
  `A filter: ${MAX_FILTER_CONDITIONS} conditions and ${MAX_INPUT_VALUES} values, on ${MAX_FILTER_LEVELS} levels.`,
]

const codes = Object.entries(errorCodes).map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`)

export const schemaDescription = `Records of accounting, CRM and commerce apps, and the settings of an environment.

Authenticate with an API key: \`Authorization: Bearer <key>\`. A user token may call the operations of its end user only. Enum values are the words of REST in upper case.

Limits:

${limits.map((limit) => `- ${limit}`).join('\n')}

An error has a code, the id of the request and the details of each invalid field in its \`extensions\`. The codes:

${codes.join('\n')}`
