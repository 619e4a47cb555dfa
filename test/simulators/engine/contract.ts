/**
 * Checks JSON against a vendor's contract, closed-world: what the contract does not declare is a problem. The
 * contract is a JSON Schema (2020-12) document; a schema that leaves an object open is rejected, because it would
 * let a misspelled field pass.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isJsonObject, type Json } from './json.ts'

export interface Problem {
  /** The names and positions from the top: `['Line', 0, 'Amont']`. */
  readonly path: readonly (string | number)[]
  readonly kind: 'undeclared' | 'missing' | 'type' | 'enum' | 'other'
  readonly message: string
}

/** Returns the problems of a value; an empty list if it conforms. */
export type Check = (value: unknown) => readonly Problem[]

export interface Contract {
  /** The check against `#/$defs/{name}`. Objects that fit are remembered: they may not be modified afterwards. */
  checkOf(name: string): Check
}

export interface ContractDocument {
  readonly $defs: Readonly<Record<string, object>>
}

const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas']
const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const SCHEMAS = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
]

/** The schemas directly within a schema, with their paths. */
const partsOf = (schema: Readonly<Record<string, unknown>>): readonly [string, unknown][] => [
  ...SCHEMAS.filter((keyword) => keyword in schema).map((keyword): [string, unknown] => [
    keyword,
    schema[keyword],
  ]),
  ...[...SCHEMA_MAPS, ...SCHEMA_LISTS].flatMap((keyword) =>
    Object.entries(schema[keyword] ?? {}).map(([name, part]): [string, unknown] => [
      `${keyword}/${name}`,
      part,
    ]),
  ),
]

/** The paths of schemas that describe objects and allow any property. */
const findOpenObjects = (schema: unknown, path: string): readonly string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const keywords: Readonly<Record<string, unknown>> = { ...schema }
  const describesObject = keywords.type === 'object' || keywords.properties !== undefined
  const closing = keywords.additionalProperties ?? keywords.unevaluatedProperties
  const isOpen = describesObject && (closing === undefined || closing === true)
  const inner = partsOf(keywords).flatMap(([name, part]) =>
    findOpenObjects(part, `${path}/${name}`),
  )
  return isOpen ? [path, ...inner] : inner
}

const KINDS: Readonly<Record<string, Problem['kind']>> = {
  additionalProperties: 'undeclared',
  unevaluatedProperties: 'undeclared',
  required: 'missing',
  type: 'type',
  format: 'type',
  enum: 'enum',
  const: 'enum',
}

const pathOf = ({ instancePath, params }: ErrorObject): Problem['path'] => {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d{1,9}$/.test(step) ? Number(step) : step))
  const name: unknown =
    params.additionalProperty ?? params.unevaluatedProperty ?? params.missingProperty
  return typeof name === 'string' ? [...steps, name] : steps
}

const problemOf = (error: ErrorObject): Problem => ({
  path: pathOf(error),
  kind: KINDS[error.keyword] ?? 'other',
  message: `${error.message ?? error.keyword}`,
})

/** @throws if a schema leaves an object open */
export const createContract = (document: ContractDocument): Contract => {
  const open = findOpenObjects(document, '#')
  if (open.length > 0) throw new Error(`The contract leaves objects open: ${open.join(', ')}`)
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true })
  formats.default(ajv)
  ajv.addSchema(document, 'contract')
  const checks = new Map<string, Check>()

  const compile = (name: string): Check => {
    const validate: ValidateFunction<Json> | undefined = ajv.getSchema(`contract#/$defs/${name}`)
    if (!validate) throw new Error(`The contract does not define ${name}`)
    const fitting = new WeakSet<object>()
    return (value) => {
      if (isJsonObject(value) && fitting.has(value)) return []
      if (!validate(value)) return (validate.errors ?? []).map(problemOf)
      if (isJsonObject(value)) fitting.add(value)
      return []
    }
  }

  return {
    checkOf: (name) => {
      const check = checks.get(name) ?? compile(name)
      checks.set(name, check)
      return check
    },
  }
}

/** `Line[0].Amont` */
export const showPath = (path: Problem['path']): string =>
  path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
