/** Query parameters and cursors of the sandbox's lists. */
import { z } from 'zod'
import type { SandboxPage } from '../store/sandbox/sandbox-records.ts'
import { FieldError } from './errors.ts'
import { instant } from './kinds/blocks.ts'
import { isId } from './kinds/kind.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 250

/** Position after which a page starts; opaque to clients. */
type Cursor = NonNullable<SandboxPage['after']>

/** Cursor of a record: the next page starts after it. */
export const cursorOf = ({ modified, id }: Cursor): string =>
  Buffer.from(`${modified} ${id}`).toString('base64url')

const cursorTime = z.iso.datetime()
const changeTime = instant()

const readCursor = (text: string): Cursor => {
  const [modified = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ')
  if (!cursorTime.safeParse(modified).success || !isId(id)) throw new FieldError('invalid', 'after')
  return { modified, id }
}

const readSince = (text: string): string => {
  if (!changeTime.safeParse(text).success) throw new FieldError('invalid', 'modified_since')
  return new Date(text).toISOString()
}

const readLimit = (text: string): number => {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LIMIT) throw new FieldError('invalid', 'limit')
  return limit
}

/** Reads the query parameters of a list. @throws FieldError naming the parameter */
export const readListing = (query: URLSearchParams): SandboxPage => {
  const since = query.get('modified_since')
  const after = query.get('after')
  const limit = query.get('limit')
  return {
    since: since === null ? undefined : readSince(since),
    after: after === null ? undefined : readCursor(after),
    limit: limit === null ? DEFAULT_LIMIT : readLimit(limit),
  }
}
