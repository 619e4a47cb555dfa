/** Trusted documents: a list of GraphQL documents that requests name by their ids instead of sending their text. */
import { GraphQLError, type GraphQLSchema } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { isObject } from '../../definition/value.ts'
import { ApiError, invalidParameter } from '../../errors.ts'

export interface TrustedDocuments {
  /** The texts of the documents by their ids, which mostly are hashes of the texts. */
  readonly texts: ReadonlyMap<string, string>
  /** Whether all other documents are rejected. */
  readonly isRequired: boolean
}

/** How a request names its document. */
export interface RequestedDocument {
  readonly query?: unknown
  /** As in the draft of GraphQL over HTTP: the id, or `sha256:` and the id. */
  readonly documentId?: unknown
  /** `persistedQuery.sha256Hash`: the id, as Apollo's clients send it. */
  readonly extensions?: unknown
}

/** Returns the text of a requested document. @throws INVALID_PARAMETER, FORBIDDEN */
export type FindText = (requested: RequestedDocument) => string

const HASH_PREFIX = 'sha256:'

const idOf = ({ documentId, extensions }: RequestedDocument): string | undefined => {
  if (typeof documentId === 'string') return documentId
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined
  return typeof hash === 'string' ? hash : undefined
}

/** Creates the function that finds the text of a requested document. */
export const createFindText = ({ texts, isRequired }: TrustedDocuments): FindText => {
  const trusted = new Set(texts.values())
  return (requested) => {
    const { query, documentId } = requested
    const id = idOf(requested)
    // The protocol of WebSockets requires a query, which is empty if there is an id.
    if (typeof query === 'string' && (query !== '' || id === undefined)) {
      if (documentId != null) throw invalidParameter('documentId', 'no value next to a query')
      if (!isRequired || trusted.has(query)) return query
      throw new ApiError(
        'FORBIDDEN',
        'This service runs only trusted documents. Send the documentId of one of them, or its exact text.',
      )
    }
    if (id === undefined) throw invalidParameter('query', 'a string with a GraphQL document')
    const text =
      texts.get(id) ??
      (id.startsWith(HASH_PREFIX) ? texts.get(id.slice(HASH_PREFIX.length)) : undefined)
    if (text === undefined) throw invalidParameter('documentId', 'the id of a trusted document')
    return text
  }
}

/** Passes the text of the requested document to Yoga, which does not know ids. */
export const useTrustedDocuments = (
  findText: FindText,
): Plugin<object, { readonly text: string | undefined }> => ({
  onParams: ({ params, setParams, context: { text } }) => {
    const { documentId: _, ...others }: RequestedDocument & typeof params = params
    setParams({ ...others, query: text ?? findText(params) })
  },
})

interface Validation {
  readonly schema: GraphQLSchema
  parse(text: string): unknown
  validate(schema: GraphQLSchema, document: unknown): readonly GraphQLError[]
}

const errorOf = (text: string, { schema, parse, validate }: Validation): string | undefined => {
  try {
    return validate(schema, parse(text))[0]?.message
  } catch (error) {
    if (error instanceof GraphQLError) return error.message
    throw error
  }
}

/** @throws Error that names the first document that is not valid, and its first error */
export const checkTrustedDocuments = (
  { texts }: TrustedDocuments,
  validation: Validation,
): void => {
  for (const [id, text] of texts) {
    const message = errorOf(text, validation)
    if (message !== undefined)
      throw new Error(`TRUSTED_DOCUMENTS: entry ${JSON.stringify(id)}: ${message}`)
  }
}
