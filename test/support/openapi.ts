/** The generated OpenAPI document as typed data. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, object | { readonly $ref: string }>>
  readonly content: Readonly<
    Record<
      string,
      {
        readonly schema: unknown
        readonly example?: unknown
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
      }
    >
  >
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: unknown; readonly example: unknown }>
    >
  }
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** The message of each webhook topic. */
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly tags: readonly { readonly name: string }[]
  /** The headings that group the tags. */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export const openapiText = readFileSync(
  new URL('../../src/generated/openapi.json', import.meta.url),
  'utf8',
)

/** The target of a `#/…` reference; undefined if it does not exist. */
export const resolvePointer = (document: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    // Any object, read by key.
    .reduce<unknown>((value, step) => Object(value)[step], document)

/** Resolves a value that may be a reference. */
export const resolveReference = <T extends object>(
  document: unknown,
  valueOrReference: T | { readonly $ref: string },
): T =>
  // A reference points to an object of the type that it replaces.
  '$ref' in valueOrReference
    ? (resolvePointer(document, valueOrReference.$ref) as T)
    : valueOrReference

/** A JSON pointer into the document: `#/paths/~1health/get`. */
export const pointerTo = (...steps: readonly string[]): string =>
  ['#', ...steps]
    .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map((step, index) => (index === 0 ? step : encodeURIComponent(step)))
    .join('/')

/** Compiles the schema at a path of the document. */
export const schemaCompiler = (
  document: OpenApiDocument,
): ((...steps: readonly string[]) => ValidateFunction) => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
  formats.default(ajv)
  ajv.addVocabulary(['components', 'paths', 'webhooks'])
  const { components, paths, webhooks } = document
  ajv.addSchema({ $id: 'trunkline:openapi', components, paths, webhooks })
  return (...steps) => ajv.compile({ $ref: `trunkline:openapi${pointerTo(...steps)}` })
}
