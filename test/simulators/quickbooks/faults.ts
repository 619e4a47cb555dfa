/** The errors of the API: `Fault.Error` with the vendor's codes. */
import { type Reply, ReplyError } from '../engine/profile.ts'
import { formatResponseTime } from './times.ts'

/** One `Fault.Error`. */
export interface FaultError {
  readonly code: string
  readonly Message: string
  readonly Detail: string
  /** The field that is wrong. */
  readonly element?: string
}

/** An error of the API; the response to it has the time. */
export class FaultException extends Error {
  readonly fault: FaultError

  constructor(fault: FaultError) {
    super(fault.Detail)
    this.fault = fault
  }
}

export const faultReply = ({ fault }: FaultException, nowMs: number, status = 400): Reply => ({
  status,
  body: {
    Fault: { Error: [{ ...fault }], type: 'ValidationFault' },
    time: formatResponseTime(nowMs),
  },
})

/** Turns the faults that `work` throws into responses. */
export const withFaults = <T>(nowMs: () => number, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (error instanceof FaultException) throw new ReplyError(faultReply(error, nowMs()))
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

export const invalidProperty = (detail: string, element?: string): FaultException =>
  new FaultException({
    code: '2010',
    Message: 'Request has invalid or unsupported property',
    Detail: `Property Name:${detail} specified is unsupported or invalid`,
    ...(element !== undefined && { element }),
  })

export const invalidEnumeration = (element: string): FaultException =>
  new FaultException({
    code: '2170',
    Message: 'Invalid Enumeration',
    Detail: `Invalid Enumeration : ${element}`,
    element,
  })
