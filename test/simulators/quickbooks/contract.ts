/** The checks of requests and responses, from the vendor's schema and the envelopes of its JSON. */
import { readFileSync } from 'node:fs'
import { type Check, type ContractDocument, createContract } from '../engine/contract.ts'
import { entities } from './entities.ts'
import { parseXml } from './xml.ts'
import { readSchemas } from './xsd.ts'

const FILES = ['Finance', 'IntuitBaseTypes', 'IntuitNamesTypes', 'IntuitRestServiceDef']

const vendorSchemas = readSchemas(
  FILES.map((file) =>
    parseXml(readFileSync(new URL(`contract/${file}.xsd`, import.meta.url), 'utf8')),
  ),
)

const TIME = { type: 'string', format: 'date-time' }

const object = (
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): object => ({ type: 'object', properties, required, additionalProperties: false })

const list = (name: string): object => ({ type: 'array', items: { $ref: `#/$defs/${name}` } })
const names = [...entities.keys()]

/** The schema's type with lists of the entities, which the schema leaves open as `IntuitObject`. */
const queryResponse = object({
  ...Object.fromEntries(names.map((name) => [name, list(name)])),
  startPosition: { type: 'integer' },
  maxResults: { type: 'integer' },
  totalCount: { type: 'integer' },
})

const nullOr = (schema: object): object => ({ anyOf: [{ type: 'null' }, schema] })

/** The form of errors of the gateway before the API: wrong tokens, wrong companies. */
const gatewayFault = object(
  {
    fault: object(
      {
        error: {
          type: 'array',
          items: object({
            message: { type: 'string' },
            detail: nullOr({ type: 'string' }),
            code: { type: 'string' },
            element: nullOr({ type: 'string' }),
          }),
        },
        type: { type: 'string' },
      },
      ['error', 'type'],
    ),
    warnings: { type: 'null' },
    intuitObject: { type: 'null' },
    report: { type: 'null' },
    queryResponse: { type: 'null' },
    batchItemResponse: { type: 'array', maxItems: 0 },
    attachableResponse: { type: 'array', maxItems: 0 },
    syncErrorResponse: { type: 'null' },
    requestId: { type: 'null' },
    time: { type: 'integer' },
    status: { type: 'null' },
    cdcresponse: { type: 'array', maxItems: 0 },
  },
  ['fault'],
)

const document: ContractDocument = {
  $defs: {
    ...vendorSchemas,
    ...Object.fromEntries(
      names.map((name) => [
        `${name}Response`,
        object({ [name]: { $ref: `#/$defs/${name}` }, time: TIME }, [name, 'time']),
      ]),
    ),
    QueryResponse: queryResponse,
    QueryEnvelope: object({ QueryResponse: { $ref: '#/$defs/QueryResponse' }, time: TIME }, [
      'QueryResponse',
      'time',
    ]),
    CDCResponse: object({ QueryResponse: list('QueryResponse') }, ['QueryResponse']),
    CDCEnvelope: object({ CDCResponse: list('CDCResponse'), time: TIME }, ['CDCResponse', 'time']),
    PreferencesEnvelope: object({ Preferences: { $ref: '#/$defs/Preferences' }, time: TIME }),
    GatewayFault: gatewayFault,
    FaultEnvelope: {
      anyOf: [
        object({ Fault: { $ref: '#/$defs/Fault' }, time: TIME }, ['Fault', 'time']),
        { $ref: '#/$defs/GatewayFault' },
      ],
    },
  },
}

const contract = createContract(document)

/** The check against a type of the schema or an envelope: `Invoice`, `InvoiceResponse`, `QueryEnvelope`. */
export const checkOf = (name: string): Check => contract.checkOf(name)

/** A schema by its keywords. */
export type Schema = Readonly<Record<string, unknown>>

export const definitionNamed = (name: string): Schema => ({ ...document.$defs[name] })

export const propertiesOf = ({ properties }: Schema): Readonly<Record<string, Schema>> => ({
  ...Object(properties),
})

/** The schema that a reference points to; other schemas as they are. */
const resolveSchema = (schema: Schema): Schema =>
  typeof schema.$ref === 'string' ? definitionNamed(schema.$ref.split('/').at(-1) ?? '') : schema

/** The declared schema at a dotted path: `MetaData.LastUpdatedTime`; undefined: not declared. */
export const propertyAt = (entity: string, path: string): Schema | undefined => {
  let schema: Schema | undefined = definitionNamed(entity)
  for (const step of path.split('.')) {
    const found: Schema | undefined = schema && propertiesOf(schema)[step]
    schema = found && resolveSchema(found)
  }
  return schema
}

/** The names of the fields that an entity declares. */
export const fieldsOf = (entity: string): readonly string[] =>
  Object.keys(propertiesOf(definitionNamed(entity)))

/** The names of the properties of all types. */
export const declaredNames: ReadonlySet<string> = new Set(
  Object.values(document.$defs).flatMap((schema) => Object.keys(propertiesOf({ ...schema }))),
)
