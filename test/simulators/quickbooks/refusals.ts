/** The responses to what the engine rejects, in the forms of the API and of the gateway before it. */
import { type Problem, showPath } from '../engine/contract.ts'
import type { Refusal, Reply, ResponseContext } from '../engine/profile.ts'
import {
  type FaultException,
  faultReply,
  invalidEnumeration,
  invalidProperty,
  missingParameter,
  unsupportedOperation,
} from './faults.ts'
import { formatResponseTime } from './times.ts'

const problemFault = ({ path, kind, message }: Problem): FaultException => {
  const place = showPath(path)
  if (kind === 'enum') return invalidEnumeration(place)
  if (kind === 'missing') return missingParameter(place)
  const what = kind === 'undeclared' ? 'Unrecognized field' : message
  return invalidProperty(`${what} "${place}"`, place)
}

interface GatewayError {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly detail: string
}

/** The gateway's JSON, with every part of the envelope. */
const gatewayReply = (
  { status, type, code, message, detail }: GatewayError,
  nowMs: number,
): Reply => ({
  status,
  body: {
    warnings: null,
    intuitObject: null,
    fault: { error: [{ message, detail, code, element: null }], type },
    report: null,
    queryResponse: null,
    batchItemResponse: [],
    attachableResponse: [],
    syncErrorResponse: null,
    requestId: null,
    time: nowMs,
    status: null,
    cdcresponse: [],
  },
})

/** The gateway's XML, which it sends for some errors although JSON was requested. */
const xmlReply = ({ status, type, code, message, detail }: GatewayError, nowMs: number): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    `<IntuitResponse xmlns="http://schema.intuit.com/finance/v3" time="${formatResponseTime(nowMs)}">`,
    `<Fault type="${type}"><Error code="${code}">`,
    `<Message>${message}</Message><Detail>${detail}</Detail>`,
    '</Error></Fault></IntuitResponse>',
  ].join(''),
})

const unauthenticated = (cause: string): GatewayError => ({
  status: 401,
  type: 'AUTHENTICATION',
  code: '3200',
  message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401',
  detail: `Token ${cause}`,
})

const forbidden = (detail: string): GatewayError => ({
  status: 403,
  type: 'SERVICE',
  code: '3100',
  detail,
  message: 'message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403',
})

const THROTTLED: GatewayError = {
  status: 429,
  type: 'SERVICE',
  code: '3001',
  message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429',
  detail: 'The request limit was reached. Try again later',
}

/** Without `Accept: application/json` the vendor sends XML, which the simulator does not have. */
const XML_ONLY: GatewayError = {
  status: 400,
  type: 'ValidationFault',
  code: '2010',
  message: 'XML requested',
  detail: 'Send Accept: application/json',
}

type ParameterRefusal = Extract<Refusal, { readonly name: string }>

const refuseParameter = ({ reason, name }: ParameterRefusal, nowMs: number): Reply => {
  if (name === 'accept') return xmlReply(XML_ONLY, nowMs)
  const isMissing = reason === 'missing-parameter'
  return faultReply(isMissing ? missingParameter(name) : invalidProperty(name, name), nowMs)
}

export const refuse = (refusal: Refusal, { clock }: ResponseContext): Reply => {
  const nowMs = clock.nowMs()
  switch (refusal.reason) {
    case 'unknown-path':
      return faultReply(unsupportedOperation('for this path'), nowMs, 404)
    case 'unknown-method':
      return faultReply(unsupportedOperation('by this method'), nowMs, 404)
    case 'unauthenticated':
      return gatewayReply(unauthenticated(refusal.cause), nowMs)
    case 'wrong-account':
      return gatewayReply(forbidden('Not this company'), nowMs)
    case 'missing-scope':
      return gatewayReply(forbidden('Missing scope'), nowMs)
    case 'rate-limited':
      return xmlReply(THROTTLED, nowMs)
    case 'undeclared-parameter':
    case 'undeclared-header':
    case 'missing-parameter':
    case 'invalid-parameter':
      return refuseParameter(refusal, nowMs)
    case 'media-type':
      return faultReply(invalidProperty('Content-Type'), nowMs, 415)
    case 'malformed-body':
    case 'body-too-large':
      return faultReply(invalidProperty('Request body'), nowMs)
    case 'invalid-body': {
      const [first] = refusal.problems
      return faultReply(first ? problemFault(first) : invalidProperty('Request body'), nowMs)
    }
  }
}
