/** GraphQL documents: size limits, validation, and a cache of valid documents. */
import { type DocumentNode, type GraphQLError, type Source, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { tooComplex } from './error-form.ts'
import { MAX_LENGTH, MAX_LINES } from './limits.ts'

const MAX_ERRORS = 10

/** Memory limit of the cache, by the estimate of `estimateBytes`. */
export const MAX_CACHE_BYTES = 32 * 1024 * 1024
// Measured: a token with its node and location takes 300 to 500 bytes of heap.
const BYTES_PER_TOKEN = 512
const BYTES_PER_CHARACTER = 2

const LINE_END = /\r\n|[\n\r]/g

/** Estimated memory of a document: its text, tokens and nodes. */
export const estimateBytes = ({ loc }: DocumentNode): number => {
  let tokens = 0
  for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1
  return tokens * BYTES_PER_TOKEN + (loc?.source.body.length ?? 0) * BYTES_PER_CHARACTER
}

/** @throws QUERY_TOO_COMPLEX */
const checkText = (text: string): void => {
  if (text.length > MAX_LENGTH)
    throw tooComplex(
      `The document has ${text.length} characters; the limit is ${MAX_LENGTH}. Split the document and send values as variables.`,
    )
  if (text.length <= MAX_LINES) return
  const lines = 1 + (text.match(LINE_END)?.length ?? 0)
  if (lines > MAX_LINES)
    throw tooComplex(
      `The document has ${lines} lines; the limit is ${MAX_LINES}. Remove line breaks or split the document.`,
    )
}

/** Replaces the error of graphql-js for too many comparisons of fields with the same name. */
const explainAbort = (error: GraphQLError): GraphQLError =>
  error.message === 'Validation aborted.'
    ? tooComplex(
        'The document selects the same fields or spreads the same fragments too often. Select each field once.',
      )
    : error

export interface Documents {
  readonly plugin: Plugin
  /** The valid document with this text; undefined if it is not cached. */
  find(text: string): DocumentNode | undefined
}

/**
 * Limits the size of documents and caches valid documents by their text.
 *
 * Invalid documents are not cached: they would use memory without a benefit to any caller.
 */
export const createDocuments = (): Documents => {
  const cache = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: estimateBytes,
  })
  const valid = new WeakSet<DocumentNode>()
  const plugin: Plugin = {
    onParse: ({ params, setParsedDocument }) => {
      const source: string | Source = params.source
      const text = typeof source === 'string' ? source : source.body
      checkText(text)
      const cached = cache.get(text)
      if (cached) setParsedDocument(cached)
    },
    onValidate: ({ params, setResult, setValidationFn }) => {
      const document: DocumentNode = params.documentAST
      if (valid.has(document)) return setResult([])
      setValidationFn((schema, parsed, rules) =>
        validate(schema, parsed, rules, { maxErrors: MAX_ERRORS }).map(explainAbort),
      )
      return ({ result }) => {
        if (result.length > 0) return
        valid.add(document)
        if (document.loc) cache.set(document.loc.source.body, document)
      }
    },
  }
  return { plugin, find: (text) => cache.get(text) }
}
