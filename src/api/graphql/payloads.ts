/** The payloads of mutations: the result under its name, and the user errors. */
import type { OutputType } from '@pothos/core'
import type { Fields } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { errorCodes, type UserErrorCode, userErrorCodes } from '../../errors.ts'
import type { Builder, GraphContext } from './builder.ts'
import { type UserError, userErrorsOf } from './user-errors.ts'

type Type = OutputType<Builder['$inferSchemaTypes']>

/** The outcome of a mutation. */
interface Payload {
  /** Null if there are user errors. */
  readonly result: unknown
  readonly userErrors: readonly UserError[]
}

/** The field of a payload that holds the result. */
interface ResultField {
  readonly name: string
  readonly type: Type | [Type]
  readonly description: string
}

const createUserErrorType = (builder: Builder) => {
  const code = builder.enumType('UserErrorCode', {
    description: 'The codes of errors that a person can resolve.',
    values: Object.fromEntries(
      userErrorCodes.map((name) => [name, { description: errorCodes[name].meaning }]),
    ) as Readonly<Record<UserErrorCode, { readonly description: string }>>,
  })
  return builder.objectRef<UserError>('UserError').implement({
    description: 'Why a mutation has no result: a failure that a person can resolve.',
    fields: (t) => ({
      code: t.expose('code', {
        type: code,
        nullable: false,
        description: 'The code, for programs.',
      }),
      message: t.exposeString('message', {
        nullable: false,
        description: 'The reason, for people.',
      }),
      field: t.exposeStringList('field', {
        nullable: { list: true, items: false },
        description:
          'The path to the field, such as `["input", "lines", "0", "amount"]`. Without `input`, it is a field of the record that the mutation does not take. Null: the error is about no single field.',
      }),
      expected: t.exposeString('expected', { description: 'What was expected of the field.' }),
      stored: t.field({
        type: 'JSON',
        description:
          'Of a WRITE_CONFLICT or PARTLY_WRITTEN: the value of the field when it was read.',
        resolve: ({ stored }) => stored,
      }),
      current: t.field({
        type: 'JSON',
        description: 'Of a WRITE_CONFLICT or PARTLY_WRITTEN: the value that the field has now.',
        resolve: ({ current }) => current,
      }),
    }),
  })
}

export const createPayloads = (builder: Builder) => {
  const userError = createUserErrorType(builder)

  /** Creates the payload type of a mutation. */
  const payloadType = (mutation: string, { name, type, description }: ResultField) =>
    builder.objectRef<Payload>(`${pascalCase(mutation)}Payload`).implement({
      description: `The payload of ${mutation}.`,
      fields: (t) => ({
        [name]: t.field({
          type,
          nullable: true,
          description: `${description} Null if there are user errors.`,
          // The result matches the type, which its definition names.
          resolve: ({ result }) => result as never,
        }),
        userErrors: t.field({
          type: [userError],
          nullable: false,
          description: 'Why there is no result; empty after a success.',
          resolve: ({ userErrors }) => userErrors,
        }),
      }),
    })

  return { payloadType }
}

export type Payloads = ReturnType<typeof createPayloads>

/**
 * Runs a mutation. Its user errors are logged and counted like other errors.
 * @param input the fields of the argument `input`
 * @throws what is not a user error
 */
export const runMutation = async (
  { origin }: GraphContext,
  input: Fields,
  work: () => Promise<unknown>,
): Promise<Payload> => {
  try {
    return { result: await work(), userErrors: [] }
  } catch (error) {
    const userErrors = userErrorsOf(error, input)
    const [first] = userErrors ?? []
    if (!userErrors || !first) throw error
    origin.noteError(first.code, error)
    return { result: null, userErrors }
  }
}
