/**
 * The GraphQL input types of records, operations and nested objects. Resolvers validate the values with the
 * schema of REST bodies (`readInput`), not with Pothos' argument validation. The plugin validates before the
 * resolver and without its context, which would change the behaviour:
 *
 * - validation errors would precede FORBIDDEN and CREDENTIAL_NOT_FOUND, and the claim of the Idempotency-Key,
 *   so that the error would not be stored;
 * - the fingerprint of the key would cover the parsed value instead of the request;
 * - the `userId` of a user token could not be filled in first.
 */

import type { ArgBuilder, InputType } from '@pothos/core'
import type { Field, Fields, Shape } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import { memoize } from '../../memoize.ts'
import { inputFieldsOf, updatableFields } from '../../query/write-request.ts'
import type { Builder } from './builder.ts'
import type { EnumField, Enums } from './enums.ts'

type Owner = Pick<EnumField, 'typeName' | 'recordName'>
type Types = Builder['$inferSchemaTypes']
type Input = InputType<Types>

const makeInput = (builder: Builder, name: string) =>
  // biome-ignore lint/complexity/noBannedTypes: Pothos types input values this way
  builder.inputRef<Readonly<Record<string, {} | null | undefined>>>(name)

export type InputObject = ReturnType<typeof makeInput>

const describe = ({ doc, kind: { notes } }: Field): string =>
  notes?.graphqlInput === undefined ? doc : `${doc} ${notes.graphqlInput}`

/** Whether every caller must send a field. */
export type IsRequired = (name: string, field: Field) => boolean

const isRequiredField: IsRequired = (_name, { required }) => required

/** Creates the input types; each shape has one. */
export const createInputTypes = (builder: Builder, enums: Enums) => {
  const shapeInput = memoize((shape: Shape): InputObject => {
    const type = makeInput(builder, `${shape.name}Input`)
    const owner = { typeName: shape.name, recordName: '' }
    return implement(type, shape.doc, owner, shape.fields, isRequiredField)
  })

  /** The type of a value, or of one entry of a list. */
  const valueType = (owner: Owner, fieldName: string, { kind: { graphql } }: Field): Input => {
    if ('enumeration' in graphql) return enums({ ...owner, fieldName }, graphql.enumeration)
    return 'shape' in graphql ? shapeInput(graphql.shape) : graphql.scalar
  }

  /** The type of a field of `owner`, or of an argument with that name. */
  const inputType = (owner: Owner, fieldName: string, field: Field): Input | [Input] => {
    const type = valueType(owner, fieldName, field)
    return field.kind.isList ? [type] : type
  }

  const implement = (
    type: InputObject,
    description: string,
    owner: Owner,
    fields: Fields,
    isRequired: IsRequired,
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
              required: isRequired(name, field),
            }) as never,
          ]),
        ),
    })
    return type
  }

  /** The arguments for the fields of a request. `typeName`: the start of the names of enumerations without one. */
  const fieldArguments = (
    arg: ArgBuilder<Types>,
    typeName: string,
    fields: Fields,
    isRequired: IsRequired = isRequiredField,
  ) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        arg({
          type: inputType({ typeName, recordName: '' }, name, field),
          required: isRequired(name, field),
          description: field.doc,
        }),
      ]),
    )

  const recordInput = (
    { typeName, name }: Resource,
    suffix: string,
    doc: string,
    fields: Fields,
  ): InputObject =>
    implement(
      makeInput(builder, typeName + suffix),
      doc,
      { typeName, recordName: name },
      fields,
      isRequiredField,
    )

  return {
    fieldArguments,
    /** The input type for creating a record: `CrmContactInput`. */
    createInput: (resource: Resource): InputObject =>
      recordInput(
        resource,
        'Input',
        `The fields of a new ${resource.name}.`,
        inputFieldsOf(resource),
      ),
    /** The input type for updating a record; it requires no field: `CrmContactUpdateInput`. */
    updateInput: (resource: Resource): InputObject =>
      recordInput(
        resource,
        'UpdateInput',
        `The fields to change of one ${resource.name}. Omitted fields keep their values; null clears a field.`,
        updatableFields(resource),
      ),
    /** The input type of an operation: `CreateUserInput`. */
    input: (name: string, doc: string, fields: Fields, isRequired: IsRequired): InputObject =>
      implement(
        makeInput(builder, `${name}Input`),
        doc,
        { typeName: name, recordName: '' },
        fields,
        isRequired,
      ),
  }
}

export type InputTypes = ReturnType<typeof createInputTypes>
