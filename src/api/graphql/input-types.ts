/** The input types of what is given: records, operations, and the objects nested in them. */
import type { InputType } from '@pothos/core'
import type { Field, Fields, Shape } from '../../definition/field.ts'
import type { Resource } from '../../definition/resource.ts'
import { writableFields } from '../../query/write-request.ts'
import type { Builder } from './builder.ts'
import type { EnumPlace, Enums } from './enums.ts'
import { scalars } from './fields.ts'

type Owner = Pick<EnumPlace, 'typeName' | 'recordName'>
type Input = InputType<Builder['$inferSchemaTypes']>

const makeInput = (builder: Builder, name: string) =>
  // biome-ignore lint/complexity/noBannedTypes: Pothos' own word for any value of an input
  builder.inputRef<Readonly<Record<string, {} | null | undefined>>>(name)

export type InputObject = ReturnType<typeof makeInput>

/** What a word may be, for fields whose words are no enumeration of the schema. */
const describe = (field: Field): string =>
  field.kind === 'label' ? `${field.doc} One of ${field.values.join(', ')}.` : field.doc

/** Which of the fields every caller must give. */
export type MustGive = (name: string, field: Field) => boolean

const whatIsRequired: MustGive = (_name, { required }) => required

/** Makes the input types; each shape's is made once. */
export const createInputTypes = (builder: Builder, enums: Enums) => {
  const shapes = new Map<Shape, InputObject>()

  const shapeInput = (shape: Shape): InputObject => {
    const known = shapes.get(shape)
    if (known) return known
    const type = makeInput(builder, `${shape.name}Input`)
    shapes.set(shape, type)
    const owner = { typeName: shape.name, recordName: '' }
    return implement(type, shape.doc, owner, shape.fields, whatIsRequired)
  }

  /** The type of a field of `owner`, or of an argument of that name. */
  const inputType = (owner: Owner, fieldName: string, field: Field): Input | [Input] => {
    switch (field.kind) {
      case 'enumeration':
        return enums({ ...owner, fieldName }, field)
      case 'references':
        return ['ID']
      case 'texts':
        return ['String']
      case 'list':
        return [shapeInput(field.shape)]
      case 'object':
        return shapeInput(field.shape)
      default:
        return scalars[field.kind]
    }
  }

  const implement = (
    type: InputObject,
    description: string,
    owner: Owner,
    fields: Fields,
    mustGive: MustGive,
  ): InputObject => {
    type.implement({
      description,
      fields: (t) =>
        Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [
            name,
            // Pothos types the value of JSON as unknown, which its own inputs do not take.
            t.field({
              type: inputType(owner, name, field),
              description: describe(field),
              required: mustGive(name, field),
            }) as never,
          ]),
        ),
    })
    return type
  }

  return {
    inputType,
    /** `CrmContactInput`: what a record is created or changed with. */
    recordInput: (resource: Resource): InputObject =>
      implement(
        makeInput(builder, `${resource.typeName}Input`),
        `What is to be written of one ${resource.name}; what is left out stays as it is.`,
        { typeName: resource.typeName, recordName: resource.name },
        writableFields(resource),
        whatIsRequired,
      ),
    /** `CreateUserInput`: what an operation is given. */
    input: (name: string, doc: string, fields: Fields, mustGive: MustGive): InputObject =>
      implement(
        makeInput(builder, `${name}Input`),
        doc,
        { typeName: name, recordName: '' },
        fields,
        mustGive,
      ),
  }
}

export type InputTypes = ReturnType<typeof createInputTypes>
