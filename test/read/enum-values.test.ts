/** The enum values of GraphQL for the words of REST. */
import { expect, test } from 'vitest'
import { createBuilder } from '../../src/api/graphql/builder.ts'
import { createEnums, enumValueName } from '../../src/api/graphql/enums.ts'
import { NotPlannedError } from '../../src/api/graphql/plan/not-planned.ts'
import { planValue } from '../../src/api/graphql/plan/value.ts'
import { enumeration, type Field } from '../../src/definition/field.ts'

test.each([
  ['needs_reconnect', 'NEEDS_RECONNECT'],
  ['apiKey', 'API_KEY'],
  ['oauth2', 'OAUTH2'],
  ['clientCredentials', 'CLIENT_CREDENTIALS'],
  ['remoteCreatedAt', 'REMOTE_CREATED_AT'],
  ['street1', 'STREET1'],
  ['connected', 'CONNECTED'],
  ['ACCOUNTS_PAYABLE', 'ACCOUNTS_PAYABLE'],
  ['EUR', 'EUR'],
])('the enum value of %s is %s', (word, name) => {
  expect(enumValueName(word)).toBe(name)
})

const words = { first_sync: 'The first sync.', fullListing: 'A full listing.' }

/** The enum type of the field `Sync.mode`. */
const enumTypeOf = ({ kind: { graphql } }: Field) => {
  if (!('enumeration' in graphql)) throw new TypeError('The field has no enumeration.')
  const builder = createBuilder()
  const place = { typeName: 'Sync', recordName: '', fieldName: 'mode' }
  const mode = createEnums(builder)(place, graphql.enumeration)
  builder.queryType({ fields: (t) => ({ mode: t.field({ type: mode, resolve: () => null }) }) })
  const type = builder.toSchema().getQueryType()?.getFields().mode?.type
  if (type === undefined) throw new TypeError('The schema has no field mode.')
  return type
}

test('planned values of records have the same names as resolved ones', () => {
  const type = enumTypeOf(enumeration('The mode.', words))
  // The plan of a single value reads neither the context nor the selection nor the source.
  const unused = undefined as never
  const plan = planValue(unused, { type, fields: {}, path: ['mode'] }, unused)
  const write = (json: string): string => plan({ text: `${json},`, at: 0 }, unused)
  expect(write('"first_sync"')).toBe('"FIRST_SYNC"')
  expect(write('"fullListing"')).toBe('"FULL_LISTING"')
  expect(write('null')).toBe('null')
  // The resolvers report the value with its path.
  expect(() => write('"unknown"')).toThrow(NotPlannedError)
})

test('two enumerations cannot have one name', () => {
  const builder = createBuilder()
  const enums = createEnums(builder)
  const place = { typeName: 'Sync', recordName: '', fieldName: 'mode' }
  enums(place, { name: 'Mode', doc: 'The mode.', words })
  expect(() => enums(place, { name: 'Mode', doc: 'Another.', words: {} })).toThrow(
    'Two enumerations have the name Mode',
  )
})
