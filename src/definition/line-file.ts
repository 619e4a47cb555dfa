/**
 * A file of text lines that an app offers at a URL of its own, such as the result of an export. The engine requests it
 * without the credential, in parts, so a file of any size needs little memory and an interrupted listing continues
 * where it was.
 */

/** A part of a file. */
export interface LineFile {
  /** An absolute `https:` URL. Its host must have a public address. */
  readonly url: string
  /** The position of the first line, in bytes from the start of the file. */
  readonly from: number
  /** The most bytes to read. A line that continues after them is left out. */
  readonly maxBytes: number
}

/** A line without its end. */
export interface FileLine {
  readonly text: string
  /** The position of the line after it, in bytes from the start of the file. */
  readonly end: number
}

/** The lines of a part. */
export interface FilePart {
  readonly lines: readonly FileLine[]
  /** Whether the file ends with them. */
  readonly isLast: boolean
}

/** The request for a part of a file. A URL that is no longer valid is a failure of the kind `expired`. */
export const fileRequest = (file: LineFile) => ({ method: 'GET', path: '', file }) as const

/** The lines in the response to `fileRequest`. */
export const filePartOf = ({ body }: { readonly body: unknown }): FilePart =>
  // Safe: the engine creates the body of this response.
  body as FilePart
