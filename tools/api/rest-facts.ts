/** What clients of REST rely on, as a set of short texts that can be compared with those of a release. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly schema?: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** The parts of an OpenAPI document that clients rely on. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

const lastStep = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The type of a value: `string`, `list of CrmContact`, `CurrencyCode or null`. */
const typeText = (schema: Schema): string => {
  if (schema.$ref) return lastStep(schema.$ref)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return [...new Set(choices.map(typeText))].join(' or ')
  return [schema.type ?? 'any']
    .flat()
    .map((type) => (type === 'array' && schema.items ? `list of ${typeText(schema.items)}` : type))
    .join(' or ')
}

/** The facts of a value and of the values in it. Requirements are those of inputs. */
const schemaFacts = (at: string, schema: Schema): readonly string[] => [
  `${at}: ${typeText(schema)}`,
  ...(schema.enum ?? []).map((value) => `${at} has ${String(value)}`),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    schemaFacts(`${at}.${name}`, property),
  ),
  ...[schema.items ?? []].flat().flatMap((items) => nestedFacts(`${at}[]`, items)),
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((choice) =>
    nestedFacts(at, choice),
  ),
]

const nestedFacts = (at: string, schema: Schema): readonly string[] =>
  schema.properties || schema.enum ? schemaFacts(at, schema) : []

/** `part`: where the input is in a request. */
const requirementFacts = (at: string, part: string, { required = [] }: Schema): readonly string[] =>
  required.map((name) => `${at} requires ${part} ${name}`)

const operationFacts = (
  at: string,
  { parameters = [], requestBody, responses }: Operation,
  { components }: OpenApi,
): readonly string[] => {
  const body = requestBody?.content['application/json']?.schema
  return [
    at,
    ...parameters.flatMap((parameter) => {
      const {
        name = '',
        in: place = '',
        required,
        schema = {},
      } = parameter.$ref
        ? (components.parameters[lastStep(parameter.$ref)] ?? parameter)
        : parameter
      return [
        `${at} ${place} ${name}: ${typeText(schema)}`,
        ...(required ? [`${at} requires ${place} ${name}`] : []),
      ]
    }),
    ...(body ? [...schemaFacts(`${at} body`, body), ...requirementFacts(at, 'body', body)] : []),
    ...Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema
      // All errors have one form.
      return schema && status.startsWith('2') ? schemaFacts(`${at} ${status}`, schema) : []
    }),
  ]
}

/** The facts of an OpenAPI document. */
export const restFacts = (document: OpenApi): ReadonlySet<string> =>
  new Set([
    ...Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operationFacts(`${method.toUpperCase()} ${path}`, operation, document),
      ),
    ),
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      name,
      ...schemaFacts(name, schema),
      ...(name.endsWith('Input') ? requirementFacts(name, 'field', schema) : []),
    ]),
  ])
