/** Parses JSON bodies strictly: UTF-8 without compression, no `__proto__` keys, and no number that is rounded. */
import type { FastifyRequest } from 'fastify'
import { MAX_JSON_LEVELS } from '../../definition/json-depth.ts'
import { parseJson } from '../../definition/parse-json.ts'
import { ApiError, invalidParameter } from '../../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const rejectPrototypeKey = (key: string, value: unknown): unknown => {
  if (key === '__proto__')
    throw new ApiError(
      'MALFORMED_BODY',
      'The body contains the key __proto__, which is not allowed. Remove it.',
    )
  return value
}

/** The path of a value in JSON, `lineItems[0].price`; undefined: it is deeper than any valid input. */
const pathTo = (
  wanted: unknown,
  value: unknown,
  path = '',
  levels = MAX_JSON_LEVELS,
): string | undefined => {
  if (value === wanted) return path
  if (levels === 0 || typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`
    const found = pathTo(wanted, member, path + step, levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Parses the JSON of a caller.
 * @param revive as of `JSON.parse`
 * @throws SyntaxError; INVALID_PARAMETER naming the path of a number that JavaScript would round
 */
export const parseInput = (
  text: string,
  revive?: (name: string, value: unknown) => unknown,
): unknown => {
  const rounded = {}
  let lastName: string | undefined
  const input = parseJson(text, revive, (name) => {
    lastName = name
    return rounded
  })
  if (lastName === undefined) return input
  const field = pathTo(rounded, input) || lastName || 'body'
  throw invalidParameter(field, 'a number of at most 17 digits; send more digits as a string')
}

// Matches the key also where some of its characters are escaped.
const PROTOTYPE = /__proto__|\\u00(?:5f|6f|7[024])/i

/** The charset parameter of a Content-Type (RFC 9110, section 8.3.1), in lower case. */
const charsetOf = (contentType: string): string | undefined => {
  const [, ...parameters] = contentType.split(';')
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim().toLowerCase() === 'charset')
      return value.trim().replaceAll('"', '').toLowerCase()
  }
  return undefined
}

/** Rejects other charsets and compressed bodies. @throws UNSUPPORTED_MEDIA_TYPE */
const checkDeclared = ({ headers }: FastifyRequest): void => {
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding: expected none. Send the body uncompressed.',
    )
  const charset = charsetOf(headers['content-type'] ?? '') ?? 'utf-8'
  if (charset !== 'utf-8' && charset !== 'utf8')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected the charset utf-8.')
}

/**
 * Parses a JSON body; undefined for an empty one, because many clients declare JSON without sending a body.
 * @throws MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, INVALID_PARAMETER; the message never contains the body
 */
export const readJsonBody = async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
  if (body.length === 0) return undefined
  checkDeclared(request)
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw new ApiError('MALFORMED_BODY', 'The body is not valid UTF-8.')
  }
  try {
    // The reviver runs for every value, so use it only if the text may contain the key.
    return parseInput(text, PROTOTYPE.test(text) ? rejectPrototypeKey : undefined)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('MALFORMED_BODY', 'The body is not valid JSON.')
  }
}
