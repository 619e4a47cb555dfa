/** The vendor's forms of errors. */
import { type Problem, showPath } from '../engine/contract.ts'
import type { JsonObject } from '../engine/json.ts'
import { type Refusal, type Reply, ReplyError, type ResponseContext } from '../engine/profile.ts'
import { formatResponseTime } from './times.ts'

/** One `Fault.Error`. */
export interface FaultError {
  readonly code: string
  readonly Message: string
  readonly Detail: string
  /** The field that is wrong. */
  readonly element?: string
}

type FaultType = 'ValidationFault' | 'SystemFault' | 'AuthorizationFault'

const faultReply = (
  { code, Message, Detail, element }: FaultError,
  { status = 400, type = 'ValidationFault' }: { status?: number; type?: FaultType },
  nowMs: number,
): Reply => ({
  status,
  body: {
    Fault: { Error: [{ Message, Detail, code, ...(element !== undefined && { element }) }], type },
    time: formatResponseTime(nowMs),
  },
})

/** An error of the API; the profile adds the time. */
export class FaultException extends Error {
  readonly fault: FaultError
  readonly status: number

  constructor(fault: FaultError, status = 400) {
    super(fault.Detail)
    this.fault = fault
    this.status = status
  }
}

/** Turns the faults that `work` throws into responses. */
export const withFaults = <T>(nowMs: () => number, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (error instanceof FaultException)
      throw new ReplyError(faultReply(error.fault, { status: error.status }, nowMs()))
    throw error
  }
}

export const missingParameter = (element: string): FaultException =>
  new FaultException({
    code: '2020',
    Message: 'Required param missing, need to supply the required value for the API',
    Detail: `Required parameter ${element} is missing in the request`,
    element,
  })

export const invalidReference = (what: string, id: string, element: string): FaultException =>
  new FaultException({
    code: '2500',
    Message: 'Invalid Reference Id',
    Detail: `Invalid Reference Id : ${what} element id ${id} not found`,
    element,
  })

export const notFound = (detail: string): FaultException =>
  new FaultException({
    code: '610',
    Message: 'Object Not Found',
    Detail: `Object Not Found : ${detail}`,
  })

export const staleObject = (): FaultException =>
  new FaultException({
    code: '5010',
    Message: 'Stale Object Error',
    Detail:
      'Stale Object Error : You and another user were working on this at the same time. The other user finished before you did, so your work was not saved.',
  })

export const duplicateName = (): FaultException =>
  new FaultException({
    code: '6240',
    Message: 'Duplicate Name Exists Error',
    Detail: 'The name supplied already exists. : Another entity is already using this name.',
  })

export const businessRule = (detail: string, element?: string): FaultException =>
  new FaultException({
    code: '6000',
    Message: 'A business validation error has occurred while processing your request',
    Detail: `Business Validation Error: ${detail}`,
    ...(element !== undefined && { element }),
  })

export const unsupportedOperation = (operation: string): FaultException =>
  new FaultException({
    code: '500',
    Message: 'Unsupported Operation',
    Detail: `Operation ${operation} is not supported.`,
  })

export const queryFault = (kind: 'parse' | 'validation', detail: string): FaultException =>
  kind === 'parse'
    ? new FaultException({
        code: '4000',
        Message: 'Error parsing query',
        Detail: `QueryParserError: ${detail}`,
      })
    : new FaultException({
        code: '4001',
        Message: 'Invalid query',
        Detail: `QueryValidationError: ${detail}`,
      })

const invalidProperty = (detail: string, element?: string): FaultError => ({
  code: '2010',
  Message: 'Request has invalid or unsupported property',
  Detail: `Property Name:${detail} specified is unsupported or invalid`,
  ...(element !== undefined && { element }),
})

const problemFault = ({ path, kind, message }: Problem): FaultError => {
  const place = showPath(path)
  if (kind === 'enum')
    return {
      code: '2170',
      Message: 'Invalid Enumeration',
      Detail: `Invalid Enumeration : ${place}`,
      element: place,
    }
  if (kind === 'missing') return missingParameter(place).fault
  return invalidProperty(
    `${kind === 'undeclared' ? 'Unrecognized field' : message} "${place}"`,
    place,
  )
}

/** The gateway's JSON, in which every part of the envelope is written. */
const gatewayReply = (
  status: number,
  { type, message, detail, code }: Readonly<Record<'type' | 'message' | 'detail' | 'code', string>>,
  nowMs: number,
): Reply => {
  const body: JsonObject = {
    ...{ warnings: null, intuitObject: null },
    fault: { error: [{ message, detail, code, element: null }], type },
    ...{ report: null, queryResponse: null, batchItemResponse: [], attachableResponse: [] },
    ...{ syncErrorResponse: null, requestId: null, time: nowMs, status: null, cdcresponse: [] },
  }
  return { status, body }
}

/** XML, which the gateway sends although JSON was requested. */
const xmlReply = (
  status: number,
  type: string,
  code: string,
  message: string,
  detail: string,
  nowMs: number,
): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><IntuitResponse xmlns="http://schema.intuit.com/finance/v3" time="${formatResponseTime(nowMs)}"><Fault type="${type}"><Error code="${code}"><Message>${message}</Message><Detail>${detail}</Detail></Error></Fault></IntuitResponse>`,
})

const throttled = 'message=ThrottleExceeded; errorCode=003001; statusCode=429'

/** The response to what the engine refuses. */
export const refuse = (refusal: Refusal, { clock }: ResponseContext): Reply => {
  const nowMs = clock.nowMs()
  const fault = (error: FaultError, status = 400) => faultReply(error, { status }, nowMs)
  switch (refusal.reason) {
    case 'unknown-path':
    case 'unknown-method':
      return fault(
        unsupportedOperation(refusal.reason === 'unknown-path' ? 'for this path' : 'by this method')
          .fault,
        404,
      )
    case 'unauthenticated': {
      const detail = refusal.cause === 'expired' ? 'Token expired' : `Token ${refusal.cause}`
      const message = 'message=AuthenticationFailed; errorCode=003200; statusCode=401'
      return gatewayReply(401, { type: 'AUTHENTICATION', message, detail, code: '3200' }, nowMs)
    }
    case 'wrong-account':
    case 'missing-scope': {
      const message = 'message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403'
      const detail = refusal.reason === 'missing-scope' ? 'Missing scope' : 'Not this company'
      return gatewayReply(403, { type: 'SERVICE', message, detail, code: '3100' }, nowMs)
    }
    case 'rate-limited':
      return xmlReply(
        429,
        'SERVICE',
        '3001',
        throttled,
        'The request limit was reached. Try again later',
        nowMs,
      )
    case 'invalid-body': {
      const [first] = refusal.problems
      return fault(first ? problemFault(first) : invalidProperty('Request body'))
    }
    case 'missing-parameter':
      return refusal.name === 'accept'
        ? xmlOnly(nowMs)
        : fault(missingParameter(refusal.name).fault)
    case 'invalid-parameter':
      return refusal.name === 'accept'
        ? xmlOnly(nowMs)
        : fault(invalidProperty(refusal.name, refusal.name))
    case 'undeclared-parameter':
    case 'undeclared-header':
      return fault(invalidProperty(refusal.name, refusal.name))
    case 'media-type':
      return fault(invalidProperty(`Content-Type ${refusal.mediaType ?? 'missing'}`), 415)
    case 'malformed-body':
    case 'body-too-large':
      return fault(invalidProperty('Request body'))
  }
}

/** Without `Accept: application/json` the vendor sends XML, which the simulator does not have. */
const xmlOnly = (nowMs: number): Reply =>
  xmlReply(400, 'ValidationFault', '2010', 'XML requested', 'Send Accept: application/json', nowMs)
