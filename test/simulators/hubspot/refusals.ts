/** The responses to what the engine rejects. */
import { type Problem, showPath } from '../engine/contract.ts'
import type { Refusal, Reply, ResponseContext } from '../engine/profile.ts'
import { type ErrorContent, type ErrorDetail, errorReply } from './errors.ts'

/** The limits of profile.ts, by the vendor's name of their policy. */
const POLICIES: Readonly<Record<string, string>> = {
  'searches per second': 'SECONDLY',
  'requests per 10 seconds': 'TEN_SECONDLY_ROLLING',
  'requests per day': 'DAILY',
}

const limitReply = (limit: string, correlationId: string): Reply => {
  const policyName = POLICIES[limit] ?? 'TEN_SECONDLY_ROLLING'
  const period = policyName.toLowerCase()
  return {
    status: 429,
    body: {
      status: 'error',
      message: `You have reached your ${period} limit.`,
      errorType: 'RATE_LIMIT',
      correlationId,
      policyName,
      groupName: `publicapi:${period}`,
    },
  }
}

const DETAILS: Readonly<Record<Problem['kind'], string>> = {
  undeclared: 'Unrecognized field',
  missing: 'Some required fields were not set',
  type: 'Invalid type of',
  enum: 'Unknown value of',
  other: 'Invalid value of',
}

const detailOf = ({ path, kind, message }: Problem): ErrorDetail => ({
  message: `${DETAILS[kind]} "${showPath(path)}": ${message}`,
  in: showPath(path),
})

const parameterError = (message: string, name: string): ErrorContent => ({
  message: `${message}: ${name}`,
  context: { parameter: [name] },
})

const unauthenticated = (cause: string): ErrorContent => {
  if (cause === 'missing')
    return {
      status: 401,
      category: 'INVALID_AUTHENTICATION',
      message: 'Authentication credentials not found. This API supports OAuth 2.0 authentication.',
    }
  const isExpired = cause === 'expired'
  return {
    status: 401,
    category: isExpired ? 'EXPIRED_AUTHENTICATION' : 'INVALID_AUTHENTICATION',
    message: isExpired
      ? 'The OAuth token used to make this call has expired.'
      : 'The OAuth token used to make this call is not valid.',
  }
}

const contentOf = (
  refusal: Exclude<Refusal, { readonly reason: 'rate-limited' }>,
): ErrorContent => {
  switch (refusal.reason) {
    case 'unknown-path':
      return { status: 404, category: 'OBJECT_NOT_FOUND', message: 'resource not found' }
    case 'unknown-method':
      return {
        status: 405,
        message: `Method not allowed. Allowed: ${refusal.allowed.join(', ')}`,
      }
    case 'unauthenticated':
      return unauthenticated(refusal.cause)
    case 'wrong-account':
      return { status: 403, category: 'BANNED', message: 'The token is for another account.' }
    case 'missing-scope':
      return {
        status: 403,
        category: 'MISSING_SCOPES',
        message: "This app hasn't been granted all required scopes to make this call.",
        links: { scopes: 'https://developers.hubspot.com/scopes' },
        errors: [
          {
            message: 'One or more of the following scopes are required.',
            context: { requiredGranularScopes: refusal.scopes },
          },
        ],
      }
    case 'undeclared-parameter':
      return parameterError('Unknown query parameter', refusal.name)
    case 'undeclared-header':
      return parameterError('Unknown header', refusal.name)
    case 'missing-parameter':
      return parameterError('Missing parameter', refusal.name)
    case 'invalid-parameter':
      return parameterError(`Invalid value "${refusal.value}"`, refusal.name)
    case 'media-type':
      return { status: 415, message: `Unsupported media type ${refusal.mediaType ?? ''}` }
    case 'body-too-large':
      return { status: 413, message: 'The request is too large.' }
    case 'malformed-body':
      return { message: 'Invalid input JSON: the body is not what this endpoint expects' }
    case 'invalid-body':
      return { message: 'Invalid input JSON', errors: refusal.problems.map(detailOf) }
  }
}

export const refuse = (refusal: Refusal, { requestId }: ResponseContext): Reply =>
  refusal.reason === 'rate-limited'
    ? limitReply(refusal.limit, requestId)
    : errorReply(contentOf(refusal), requestId)
