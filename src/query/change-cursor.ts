/** Places in the change log, and the text by which a client names one. */
import { ApiError } from '../errors.ts'

/**
 * A place in the log's order. Transaction ids order what one PostgreSQL cluster has written between two
 * crashes; the epoch orders these stretches, and the clusters that one database has lived in (see the
 * migrations `change_order` and `crash_epochs`).
 */
export interface ChangePosition {
  readonly epoch: bigint
  readonly xid: bigint
  readonly sequence: bigint
}

/** Of this form of the text; another form gets another number. */
const VERSION = '1'
const MAX_CURSOR_LENGTH = 100
const DIGITS = /^(0|[1-9]\d{0,19})$/
const INT64_MAX = 2n ** 63n - 1n
const UINT64_MAX = 2n ** 64n - 1n

/** The opaque text of a place. */
export const encodeChangeCursor = ({ epoch, xid, sequence }: ChangePosition): string =>
  Buffer.from([VERSION, epoch, xid, sequence].join('.')).toString('base64url')

const parse = (text: string): ChangePosition | undefined => {
  if (text.length > MAX_CURSOR_LENGTH) return
  const [version, ...numbers] = Buffer.from(text, 'base64url').toString('latin1').split('.')
  if (version !== VERSION || numbers.length !== 3) return
  if (!numbers.every((digits) => DIGITS.test(digits))) return
  const [epoch = 0n, xid = 0n, sequence = 0n] = numbers.map(BigInt)
  const position = { epoch, xid, sequence }
  // What PostgreSQL would refuse, and other spellings of the same place, are no cursors of ours.
  const isOurs = epoch <= INT64_MAX && xid <= UINT64_MAX && sequence <= INT64_MAX
  return isOurs && encodeChangeCursor(position) === text ? position : undefined
}

/**
 * Reads a cursor that the change log gave out. `parameter` is how the caller gave it.
 * @throws INVALID_CURSOR
 */
export const decodeChangeCursor = (text: string, parameter: string): ChangePosition => {
  const position = parse(text)
  if (position) return position
  const expected = 'a cursor that the change log returned'
  throw new ApiError('INVALID_CURSOR', `${parameter}: expected ${expected}.`, [
    { field: parameter, expected },
  ])
}
