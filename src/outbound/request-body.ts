/** The bytes of a request body, and their content type. */
import { hash } from 'node:crypto'
import type { AppRequest } from '../definition/connector.ts'
import type { MultipartPart } from '../definition/steps.ts'

/** A body ready to be sent, any number of times. */
export interface EncodedBody {
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

const encodeForm = (form: NonNullable<AppRequest['form']>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(form))
    for (const item of typeof value === 'string' ? [value] : value) parameters.append(name, item)
  return parameters.toString()
}

/** A name or filename between quotes (WHATWG HTML, "multipart/form-data encoding algorithm"). */
const quoted = (name: string): string =>
  `"${name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')}"`

/** @throws TypeError if the content type would end its line */
const encodePart = (part: MultipartPart): readonly (string | Uint8Array)[] => {
  const name = `content-disposition: form-data; name=${quoted(part.name)}`
  if ('value' in part) return [`${name}\r\n\r\n`, part.value]
  const { filename, contentType, content } = part
  if (/[\r\n]/.test(contentType)) throw new TypeError('The content type has a line break.')
  return [`${name}; filename=${quoted(filename)}\r\ncontent-type: ${contentType}\r\n\r\n`, content]
}

const encodeMultipart = (parts: readonly MultipartPart[]): EncodedBody => {
  const contents = parts.map((part) =>
    Buffer.concat(encodePart(part).map((piece) => Buffer.from(piece))),
  )
  // A hash of the content does not occur in it, and a retry sends the same body.
  const boundary = `form-${hash('sha256', Buffer.concat(contents), 'hex')}`
  const bytes = [
    ...contents.flatMap((content) => [`--${boundary}\r\n`, content, '\r\n']),
    `--${boundary}--\r\n`,
  ].map((piece) => Buffer.from(piece))
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: new Uint8Array(Buffer.concat(bytes)),
  }
}

/** Encodes the body of a request; undefined if it has none. @throws TypeError if a part is invalid */
export const encodeBody = (request: AppRequest): EncodedBody | undefined => {
  if (request.form)
    return { contentType: 'application/x-www-form-urlencoded', body: encodeForm(request.form) }
  if (request.multipart) return encodeMultipart(request.multipart)
  if (request.text) return { contentType: request.text.contentType, body: request.text.content }
  return request.body === undefined
    ? undefined
    : { contentType: 'application/json', body: JSON.stringify(request.body) }
}
