/** Pages of lists: by position, and by cursors that only this simulator can have issued. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Json } from './json.ts'

/** The page of at most `size` elements that starts after `start` elements. */
export const pageAt = <T>(
  list: readonly T[],
  start: number,
  size: number,
): { readonly page: readonly T[]; readonly next: number | undefined } => {
  const end = start + size
  return { page: list.slice(start, end), next: end < list.length ? end : undefined }
}

/**
 * The first `size` elements that `isAfter` accepts. If it accepts one, it must accept every later one: the list is
 * sorted by what `isAfter` compares. Deletions between two pages shift nothing.
 */
export const pageAfter = <T>(
  list: readonly T[],
  isAfter: (element: T) => boolean,
  size: number,
): { readonly page: readonly T[]; readonly hasMore: boolean } => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const element = list[middle]
    if (element !== undefined && isAfter(element)) high = middle
    else low = middle + 1
  }
  return { page: list.slice(low, low + size), hasMore: low + size < list.length }
}

export interface Cursors {
  /** An opaque text for a position; `scope` is what the position belongs to, e.g. account, route and filter. */
  encode(scope: string, position: Json): string
  /** The position, or undefined if the cursor was not issued here for this scope. */
  decode(scope: string, cursor: string): Json | undefined
}

const SIGNATURE_BYTES = 8

export const createCursors = (): Cursors => {
  const key = randomBytes(32)
  const sign = (scope: string, text: string) =>
    createHmac('sha256', key).update(`${scope}\n${text}`).digest().subarray(0, SIGNATURE_BYTES)
  return {
    encode: (scope, position) => {
      const text = JSON.stringify(position)
      return Buffer.concat([sign(scope, text), Buffer.from(text)]).toString('base64url')
    },
    decode: (scope, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      if (bytes.length <= SIGNATURE_BYTES) return undefined
      const text = bytes.subarray(SIGNATURE_BYTES).toString()
      if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(scope, text))) return undefined
      return JSON.parse(text)
    },
  }
}
