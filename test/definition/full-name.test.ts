/** First and last names for an app that stores one full name. */
import { expect, test } from 'vitest'
import { fullName } from '../../src/definition/mapping/full-name.ts'
import type { JsonObject } from '../../src/definition/mapping/rule.ts'
import { buildBody } from '../../src/definition/mapping/write.ts'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { customer } from '../../src/resources/commerce/customer.ts'

const mapping = defineMapping(customer, {
  remoteId: 'id',
  remoteCreatedAt: null,
  remoteUpdatedAt: null,
  remoteDeleted: null,
  ...fullName('name'),
  email: 'email',
  phone: null,
})

const stored = { id: '1', name: 'Ada Noether' }

const bodyOf = (fields: JsonObject): unknown =>
  buildBody(
    mapping,
    { fields, remoteFields: {} },
    { app: 'The app', verb: 'update', stored },
  ).next().value

test.each([
  ['Ada King Noether', 'Ada King', 'Noether'],
  ['Cher', null, 'Cher'],
  ['', null, null],
])('%j is read in its parts', (name, firstName, lastName) => {
  const { row } = createMapper(mapping)({ id: '1', name }, 'credential')
  expect(row).toMatchObject({ firstName, lastName })
})

test.each<[JsonObject, JsonObject]>([
  [{ lastName: 'King' }, { name: 'Ada King' }],
  [{ firstName: null }, { name: 'Noether' }],
  [{ firstName: 'Emmy', lastName: 'King' }, { name: 'Emmy King' }],
  [{ firstName: null, lastName: null }, { name: '' }],
  [{ email: 'a@example.org' }, { email: 'a@example.org' }],
])('%j is written with the other part', (fields, body) => {
  expect(bodyOf(fields)).toEqual(body)
})

test.each<[JsonObject, string]>([
  [{ lastName: 'van der Berg' }, 'lastName'],
  [{ lastName: null }, 'lastName'],
  [{ firstName: ' Ada', lastName: 'King' }, 'firstName'],
])('%j is rejected, because it would be read differently', (fields, field) => {
  expect(() => bodyOf(fields)).toThrow(expect.objectContaining({ name: 'WriteRejection', field }))
})
