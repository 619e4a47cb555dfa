/** Fetches a part of a file of lines, without the credential and outside of the app's limits on requests. */
import type { AppResponse } from '../definition/connector.ts'
import type { FileLine, FilePart, LineFile } from '../definition/line-file.ts'
import {
  AppAddressError,
  type AppErrorFacts,
  AppRefusedError,
  AppUnavailableError,
} from './app-error.ts'
import type { ExchangeResponse, OutgoingRequest } from './exchange.ts'
import { describeStatus, readRetryAfter } from './retry.ts'

type Facts = Omit<AppErrorFacts, 'reason'>

/** The URL of a file. @throws AppAddressError unless it is an absolute `https:` URL */
const locate = (facts: Facts, file: LineFile, allowsHttp: boolean): URL => {
  const url = URL.parse(file.url)
  const isAllowed = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:')
  if (url && isAllowed && url.username === '' && url.password === '') return url
  throw new AppAddressError({ ...facts, reason: 'the address of its file is not an https: URL' })
}

/** Composes the request for a part of a file. @throws AppAddressError */
export const composeFileRequest = (
  facts: Facts,
  file: LineFile,
  allowsHttp: boolean,
): OutgoingRequest => {
  const { from, maxBytes } = file
  return {
    method: 'GET',
    url: locate(facts, file, allowsHttp),
    headers: {
      accept: '*/*',
      // Positions are those of the file itself.
      'accept-encoding': 'identity',
      range: `bytes=${from}-${from + maxBytes - 1}`,
      'user-agent': 'Trunkline',
    },
    part: { from, maxBytes },
  }
}

const linesIn = (text: string, from: number, isLast: boolean): readonly FileLine[] => {
  const texts = text.split('\n')
  const rest = texts.pop() ?? ''
  let end = from
  const lines = texts.map((line) => {
    end += Buffer.byteLength(line) + 1
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, end }
  })
  // The last line may lack its end.
  return isLast && rest !== ''
    ? [...lines, { text: rest, end: end + Buffer.byteLength(rest) }]
    : lines
}

// Signed URLs return these once they are no longer valid, depending on the storage.
const EXPIRED: readonly number[] = [400, 401, 403, 404, 410]

// RFC 9110, section 14.4.
const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/

/** Whether the file ends with a response; undefined if the response has another part than the one that was requested. */
const endsFile = (
  { status, headers, isCut = false }: ExchangeResponse,
  from: number,
): boolean | undefined => {
  if (status === 200) return !isCut
  const [, start, end, total] = CONTENT_RANGE.exec(headers['content-range'] ?? '') ?? []
  return Number(start) === from ? Number(end) + 1 === Number(total) : undefined
}

/**
 * Reads the lines of a response.
 * @throws AppRefusedError of the kind `expired` if the URL is no longer valid, AppUnavailableError for any other failure
 */
export const readFilePart = (
  response: ExchangeResponse,
  facts: Facts,
  { from }: LineFile,
): AppResponse => {
  const { status, headers, text } = response
  const respond = (part: FilePart): AppResponse => ({ status, headers, body: part })
  // The file ends exactly where the previous part did.
  if (status === 416) return respond({ lines: [], isLast: true })
  const failure = { ...facts, reason: describeStatus(status) }
  if (EXPIRED.includes(status)) throw new AppRefusedError(failure, 'expired')
  if (status !== 200 && status !== 206)
    throw new AppUnavailableError(failure, 'server', { retryAfterMs: readRetryAfter(headers) })
  const isLast = endsFile(response, from)
  if (isLast === undefined)
    throw new AppUnavailableError(
      { ...facts, reason: 'it is another part of the file' },
      'malformed',
    )
  return respond({ lines: linesIn(text, from, isLast), isLast })
}
