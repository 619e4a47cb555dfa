/** Temporary failures of PostgreSQL, after which a retry may succeed. */
import { Prisma } from '@prisma/client'

/** The cause of a temporary failure. */
export type TemporaryReason =
  | 'unreachable'
  | 'read-only'
  | 'overloaded'
  | 'too-slow'
  | 'contended'
  | 'disk-full'

/** A temporary failure, with its message and retry time for the client. */
export interface TemporaryFailure {
  readonly reason: TemporaryReason
  /** Shown to API clients. */
  readonly message: string
  readonly retryAfterMs: number
}

const FAILURES: Readonly<Record<TemporaryReason, Omit<TemporaryFailure, 'reason'>>> = {
  unreachable: { message: 'The database cannot be reached; try again.', retryAfterMs: 1_000 },
  'read-only': { message: 'The database is a read-only standby; try again.', retryAfterMs: 5_000 },
  overloaded: { message: 'The database is overloaded; try again.', retryAfterMs: 2_000 },
  'too-slow': { message: 'The database did not respond in time; try again.', retryAfterMs: 2_000 },
  contended: {
    message: 'Another transaction holds the same rows or tables; try again.',
    retryAfterMs: 1_000,
  },
  'disk-full': { message: 'The disk of the database is full; try again.', retryAfterMs: 10_000 },
}

/**
 * Reasons by error code: an SQLSTATE or its class (PostgreSQL documentation, Appendix A), or a code of Prisma,
 * Node's sockets or Prisma's driver adapter. The longest key that is a prefix of the code applies.
 */
const REASONS: Readonly<Record<string, TemporaryReason>> = {
  '08': 'unreachable', // connection exception
  '25006': 'read-only', // read-only transaction: a standby, before or after a failover
  '25P03': 'too-slow', // idle-in-transaction timeout
  '25P04': 'too-slow', // transaction timeout
  '40': 'contended', // transaction rollback: serialization failure, deadlock
  '53': 'overloaded', // insufficient resources: memory, connections, a configured limit
  '53100': 'disk-full',
  '55P03': 'contended', // lock not available
  '57014': 'too-slow', // canceled, by statement_timeout
  '57P': 'unreachable', // shutdown, crash, start-up, idle-session timeout
  P1: 'unreachable', // Prisma could not reach the database
  P2024: 'overloaded', // timeout while waiting for a connection of the pool
  P2028: 'overloaded', // a transaction did not start or end in time
  P2034: 'contended',
  P2037: 'overloaded', // too many connections
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EPIPE: 'unreachable',
  ETIMEDOUT: 'unreachable',
  DatabaseNotReachable: 'unreachable',
  ConnectionClosed: 'unreachable',
  SocketTimeout: 'unreachable',
}

/** Reasons by message, for errors of pg and pg-pool without a code. */
const MESSAGES: ReadonlyMap<string, TemporaryReason> = new Map([
  ['Connection terminated', 'unreachable'],
  ['Connection terminated unexpectedly', 'unreachable'],
  ['Connection terminated due to connection timeout', 'unreachable'],
  ['Client has encountered a connection error and is not queryable', 'unreachable'],
  ['timeout exceeded when trying to connect', 'overloaded'],
  ['Query read timeout', 'too-slow'],
])

const reasonOfCode = (code: unknown): TemporaryReason | undefined => {
  if (typeof code !== 'string') return
  // Only five-character codes have classes.
  const shortest = code.length === 5 ? 2 : code.length
  for (let length = code.length; length >= shortest; length--) {
    const key = code.slice(0, length)
    if (Object.hasOwn(REASONS, key)) return REASONS[key]
  }
  return
}

/** The error of pg: Prisma wraps the error of its adapter, which wraps the error of pg. */
const driverCauseOf = (error: Error): object => {
  const isOfPrisma = error instanceof Prisma.PrismaClientKnownRequestError
  const ofAdapter = isOfPrisma ? error.meta?.driverAdapterError : error
  const cause = ofAdapter instanceof Error ? ofAdapter.cause : undefined
  return typeof cause === 'object' && cause !== null ? cause : {}
}

/** Classifies an error. Undefined: the error is not temporary or not from the database. */
export const temporaryFailureOf = (error: unknown): TemporaryFailure | undefined => {
  if (!(error instanceof Error)) return
  const cause = driverCauseOf(error)
  const reason =
    MESSAGES.get(error.message) ??
    // PostgreSQL's code comes first, because a code of Prisma may cover several.
    reasonOfCode('originalCode' in cause ? cause.originalCode : undefined) ??
    reasonOfCode('kind' in cause ? cause.kind : undefined) ??
    reasonOfCode('code' in error ? error.code : undefined)
  return reason && describeTemporary(reason)
}

/** The temporary failure for a reason. */
export const describeTemporary = (reason: TemporaryReason): TemporaryFailure => ({
  reason,
  ...FAILURES[reason],
})
