/** Payload selections: what is taken, what is refused, and what comes out. */
import { describe, expect, test } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { selectFrom } from '../../src/query/selection.ts'

const VENDORS = ['accounting/vendors']
const read = (payload: string, topics = VENDORS) => readPayload(catalogue, topics, payload)

const shown = (payload: string, record: string, topic = 'accounting/vendors') =>
  selectFrom(record, read(payload, [topic])[topic] ?? [])

test('numbers keep their digits, texts their characters, and what is absent is null', () => {
  const record =
    '{"id":"1","vendorName":"a\\"\\u2028é","remoteFields":{"n":12345678901234567890.10,"e":1e400,"o":{}},"addresses":[]}'
  expect(shown('{ vendorName, remoteFields, addresses { city } website: taxNumber }', record)).toBe(
    '{"vendorName":"a\\"\u2028é","remoteFields":{"n":12345678901234567890.10,"e":1e400,"o":{}},"addresses":[],"website":null}',
  )
})

test('a record in a reference is shown by the fields that stand in it', () => {
  const record = '{"id":"1","accountId":{"id":"2","remoteId":"3","accountName":"Acme"}}'
  const [name = ''] = Object.entries(catalogue.get('crm/contacts').allFields).find(
    ([, field]) => field.kind === 'reference' && field.embeds !== undefined,
  ) ?? ['']
  expect(
    shown(
      `{ ${name} { remoteId accountName } }`,
      record.replace('accountId', name),
      'crm/contacts',
    ),
  ).toBe(`{"${name}":{"remoteId":"3","accountName":"Acme"}}`)
})

test('of several topics each type has its own fields, and those that are for all', () => {
  const selections = read(
    '{ id ... on AccountingVendor { vendorName } ... on CrmLead { firstName } ... { remoteId } }',
    ['accounting/vendors', 'crm/leads', 'sync/failed'],
  )
  const names = Object.entries(selections).map(([topic, fields]) => [
    topic,
    fields.map(({ name }) => name),
  ])
  expect(names).toEqual([
    ['accounting/vendors', ['id', 'vendorName', 'remoteId']],
    ['crm/leads', ['id', 'firstName', 'remoteId']],
  ])
})

describe('refused, by the name of the field:', () => {
  test.each([
    ['no selection', 'vendorName'],
    ['nothing', ''],
    ['an empty selection', '{ }'],
    ['a mutation', 'mutation { id }'],
    ['a named query', 'query A { id }'],
    ['variables', 'query ($a: Int) { id }'],
    ['two selections', '{ id } { id }'],
    ['a fragment of its own', '{ ...A } fragment A on AccountingVendor { id }'],
    ['a field that there is not', '{ vendorNames }'],
    ['a name of every object', '{ constructor }'],
    ['a field of another type', '{ firstName }'],
    ['another type', '{ ... on CrmLead { firstName } }'],
    ['arguments', '{ vendorName(a: 1) }'],
    ['a directive', '{ vendorName @include(if: true) }'],
    ['a field twice', '{ id id }'],
    ['an object without its fields', '{ addresses }'],
    ['fields of a text', '{ vendorName { a } }'],
    ['fields of any JSON', '{ remoteFields { a } }'],
    ['too many words', `{ ${Array.from({ length: 1001 }, (_, n) => `a${n}: id`).join(' ')} }`],
    ['too long a text', `{ id ${' '.repeat(4096)}}`],
    ['a deep text', '{ a '.repeat(500)],
  ])('%s', (_what, payload) => {
    expect(() => read(payload)).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMETER',
        details: [{ field: 'payload', expected: expect.any(String) }],
      }),
    )
  })

  test('a link to another record, with the remedy', () => {
    expect(() => read('{ company { id } }')).toThrow('another record')
  })

  test('any payload where no topic has records', () => {
    expect(() => read('{ id }', ['sync/failed'])).toThrow('no topic has records')
  })
})
