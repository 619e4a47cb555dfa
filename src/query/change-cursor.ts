/** Change cursors: positions in the change log, and their opaque text for clients. */
import { invalidCursor } from './listed.ts'

/**
 * A position in the order of the change log. Transaction ids order the changes that one PostgreSQL cluster
 * writes between two crashes. The epoch increases with each crash and each move to another cluster (see the
 * migrations `change_order` and `crash_epochs`).
 */
export interface ChangePosition {
  readonly epoch: bigint
  readonly xid: bigint
  readonly sequence: bigint
}

/** The version of the cursor format. */
const VERSION = '1'
const MAX_CURSOR_LENGTH = 100
const DIGITS = /^(0|[1-9]\d{0,19})$/
const INT64_MAX = 2n ** 63n - 1n
const UINT64_MAX = 2n ** 64n - 1n

/** Encodes a position as opaque text. */
export const encodeChangeCursor = ({ epoch, xid, sequence }: ChangePosition): string =>
  Buffer.from([VERSION, epoch, xid, sequence].join('.')).toString('base64url')

const parse = (text: string): ChangePosition | undefined => {
  if (text.length > MAX_CURSOR_LENGTH) return
  const [version, ...numbers] = Buffer.from(text, 'base64url').toString('latin1').split('.')
  if (version !== VERSION || numbers.length !== 3) return
  if (!numbers.every((digits) => DIGITS.test(digits))) return
  const [epoch = 0n, xid = 0n, sequence = 0n] = numbers.map(BigInt)
  const position = { epoch, xid, sequence }
  // Reject values that PostgreSQL would refuse, and other spellings of the same position.
  const isInRange = epoch <= INT64_MAX && xid <= UINT64_MAX && sequence <= INT64_MAX
  return isInRange && encodeChangeCursor(position) === text ? position : undefined
}

/**
 * Decodes a cursor that the change log returned. `parameter` names it in errors.
 * @throws INVALID_CURSOR
 */
export const decodeChangeCursor = (text: string, parameter: string): ChangePosition => {
  const position = parse(text)
  if (position) return position
  throw invalidCursor(parameter, 'a cursor that the change log returned')
}
