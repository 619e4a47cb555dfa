/** Parses JSON bodies strictly: UTF-8 without compression, no `__proto__` keys, and no number that is rounded. */
import type { FastifyRequest } from 'fastify'
import { parseJson } from '../../definition/parse-json.ts'
import { ApiError, invalidParameter } from '../../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const rejectPrototypeKey = (key: string, value: unknown): unknown => {
  if (key === '__proto__')
    throw new ApiError('MALFORMED_BODY', 'The body contains a key __proto__, which is not allowed.')
  return value
}

/** Rejects a number of a caller that JavaScript would round. @throws INVALID_PARAMETER */
export const rejectRounded = (key: string): never => {
  throw invalidParameter(key, 'a number of at most 17 digits; send more digits as a string')
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
    return parseJson(text, PROTOTYPE.test(text) ? rejectPrototypeKey : undefined, rejectRounded)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('MALFORMED_BODY', 'The body is not valid JSON.')
  }
}
