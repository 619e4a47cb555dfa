/** Reads a JSON body strictly: UTF-8, no `__proto__`, nothing else accepted. */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const refusePrototypes = (key: string, value: unknown): unknown => {
  if (key === '__proto__') throw new ApiError('MALFORMED_BODY', 'The body has a key __proto__.')
  return value
}

// The key, in letters or with some of them escaped.
const PROTOTYPE = /__proto__|\\u00(?:5f|6f|7[024])/i

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** @throws UNSUPPORTED_MEDIA_TYPE for what is declared as anything but UTF-8 as it is */
const checkDeclared = ({ headers }: FastifyRequest): void => {
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding: expected none.')
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? []
  if (!/^utf-?8$/i.test(charset))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected the charset utf-8.')
}

/**
 * Undefined for a body of no bytes: clients declare JSON by habit, also where they send none.
 * @throws MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE; the message never repeats the body
 */
export const readJsonBody = async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
  if (body.length === 0) return undefined
  checkDeclared(request)
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw new ApiError('MALFORMED_BODY', 'The body is not UTF-8.')
  }
  try {
    // The reviver costs a call a value, and only a body that names the key can have it.
    return JSON.parse(text, PROTOTYPE.test(text) ? refusePrototypes : undefined)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('MALFORMED_BODY', 'The body is not JSON.')
  }
}
