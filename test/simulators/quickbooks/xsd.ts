/** Turns the types of an XML schema into JSON Schema, as the vendor writes its elements in JSON. */
import type { ContractDocument } from '../engine/contract.ts'
import type { XmlElement } from './xml.ts'

type Schema = Readonly<Record<string, unknown>>

const BUILT_IN: Readonly<Record<string, Schema>> = {
  'xs:string': { type: 'string' },
  'xs:anyURI': { type: 'string' },
  'xs:boolean': { type: 'boolean' },
  'xs:decimal': { type: 'number' },
  'xs:int': { type: 'integer' },
  'xs:long': { type: 'integer' },
  'xs:positiveInteger': { type: 'integer', minimum: 1 },
  'xs:date': { type: 'string', format: 'date' },
  'xs:dateTime': { type: 'string', format: 'date-time' },
}

/** Elements of any content, for extensions: the JSON that the documentation shows has none. */
const OPEN_TYPE = 'IntuitAnyType'

interface Property {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

const schemaOf = (type: string): Schema => BUILT_IN[type] ?? { $ref: `#/$defs/${type}` }

const childrenNamed = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name)

const elementProperty = (
  { attributes: { name, type, minOccurs = '1', maxOccurs = '1' } }: XmlElement,
  isOptional: boolean,
): readonly Property[] => {
  // An element without a type is a reference to an entity, which the envelopes name.
  if (name === undefined || type === undefined || type === OPEN_TYPE) return []
  const single = schemaOf(type)
  const schema = maxOccurs === '1' ? single : { type: 'array', items: single }
  return [{ name, schema, required: !isOptional && minOccurs !== '0' }]
}

/** Elements and attributes within a type; those of a choice are optional. */
const propertiesWithin = (
  element: XmlElement,
  groups: ReadonlyMap<string, XmlElement>,
  isOptional = false,
): readonly Property[] =>
  element.children.flatMap((child): readonly Property[] => {
    const { name, type = 'xs:string', ref, minOccurs } = child.attributes
    switch (child.name) {
      case 'element':
        return elementProperty(child, isOptional)
      case 'attribute':
        return name === undefined ? [] : [{ name, schema: schemaOf(type), required: false }]
      case 'group': {
        const group = groups.get(ref ?? '')
        return group ? propertiesWithin(group, groups, isOptional || minOccurs === '0') : []
      }
      case 'sequence':
        return propertiesWithin(child, groups, isOptional || minOccurs === '0')
      case 'choice':
        return propertiesWithin(child, groups, true)
      default:
        return []
    }
  })

const simpleSchema = (type: XmlElement): Schema => {
  const [restriction] = childrenNamed(type, 'restriction')
  const values = restriction ? childrenNamed(restriction, 'enumeration') : []
  const base = schemaOf(restriction?.attributes.base ?? 'xs:string')
  return values.length > 0
    ? { ...base, enum: values.map(({ attributes }) => attributes.value) }
    : base
}

/** The schemas of all named types. @throws if a type is defined twice or its base is unknown */
export const readSchemas = (schemas: readonly XmlElement[]): ContractDocument['$defs'] => {
  const typesByName = (kind: string): ReadonlyMap<string, XmlElement> =>
    new Map(
      schemas
        .flatMap((schema) => childrenNamed(schema, kind))
        .map((type) => [type.attributes.name ?? '', type]),
    )
  const groups = typesByName('group')
  const complexTypes = typesByName('complexType')

  const propertiesOf = (name: string): readonly Property[] => {
    const type = complexTypes.get(name)
    if (!type) throw new Error(`There is no complex type ${name}`)
    const [complex] = childrenNamed(type, 'complexContent')
    const [simple] = childrenNamed(type, 'simpleContent')
    const content = complex ?? simple
    if (content === undefined) return propertiesWithin(type, groups)
    const [extension] = childrenNamed(content, 'extension')
    if (extension === undefined) throw new Error(`${name} is not an extension`)
    const base = extension.attributes.base ?? ''
    const inherited = simple
      ? [{ name: 'value', schema: schemaOf(base), required: false }]
      : propertiesOf(base)
    return [...inherited, ...propertiesWithin(extension, groups)]
  }

  const objectSchema = (name: string): Schema => {
    const properties = propertiesOf(name)
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(({ name: key, schema }) => [key, schema])),
      required: properties.filter(({ required }) => required).map(({ name: key }) => key),
      additionalProperties: false,
    }
  }

  return Object.fromEntries([
    ...[...complexTypes.keys()]
      .filter((name) => name !== OPEN_TYPE)
      .map((name) => [name, objectSchema(name)]),
    ...[...typesByName('simpleType')].map(([name, type]) => [name, simpleSchema(type)]),
  ])
}
