/** The file of a bulk operation over HTTP, whole or a range of it (RFC 9110, section 14). */
import type { Reply } from '../engine/profile.ts'

const RANGE = /^bytes=(\d{1,16})-(\d{1,16})$/

/** Where the character at `at` starts: a part is text, and a server may send less than requested. */
const characterAt = (file: Buffer, index: number): number => {
  let start = index
  while (((file[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}

/** The response to a request with this header `Range`: the whole file for other units, or for several ranges. */
export const sendFile = (file: Buffer, range: string | undefined): Reply => {
  const headers = { 'content-type': 'application/jsonl' }
  const sendWhole = (): Reply => ({ status: 200, headers, body: file.toString() })
  const [requested, first, last] = RANGE.exec(range ?? '') ?? []
  const from = Number(first)
  if (requested === undefined || from > Number(last)) return sendWhole()
  if (from >= file.length)
    return { status: 416, headers: { 'content-range': `bytes */${file.length}` }, body: '' }
  const to = characterAt(file, Math.min(Number(last) + 1, file.length))
  if (to <= from || from !== characterAt(file, from)) return sendWhole()
  const contentRange = { 'content-range': `bytes ${from}-${to - 1}/${file.length}` }
  return {
    status: 206,
    headers: { ...headers, ...contentRange },
    body: file.toString('utf8', from, to),
  }
}
