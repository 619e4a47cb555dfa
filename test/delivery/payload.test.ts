/** Payload selections: accepted, rejected and rendered. */
import { describe, expect, test } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { selectFrom } from '../../src/query/selection.ts'

const VENDORS = ['accounting/vendors']
const readSelection = (payload: string, topics = VENDORS) => readPayload(catalogue, topics, payload)

const render = (payload: string, record: string, topic = 'accounting/vendors') =>
  selectFrom(record, readSelection(payload, [topic])[topic] ?? [])

test('numbers keep their digits, texts their characters, and a missing value is null', () => {
  const record =
    '{"id":"1","vendorName":"a\\"\\u2028é","remoteFields":{"n":12345678901234567890.10,"e":1e400,"o":{}},"addresses":[]}'
  expect(
    render('{ vendorName, remoteFields, addresses { city } website: taxNumber }', record),
  ).toBe(
    '{"vendorName":"a\\"\u2028é","remoteFields":{"n":12345678901234567890.10,"e":1e400,"o":{}},"addresses":[],"website":null}',
  )
})

test('a referenced record is rendered from the fields stored in the reference', () => {
  const record = '{"id":"1","accountId":{"id":"2","remoteId":"3","accountName":"Acme"}}'
  const [name = ''] = Object.entries(catalogue.get('crm/contacts').allFields).find(
    ([, { kind }]) => kind.reference?.embeds,
  ) ?? ['']
  expect(
    render(
      `{ ${name} { remoteId accountName } }`,
      record.replace('accountId', name),
      'crm/contacts',
    ),
  ).toBe(`{"${name}":{"remoteId":"3","accountName":"Acme"}}`)
})

test('with several topics, each type has its own fields in addition to the common ones', () => {
  const selections = readSelection(
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

describe('rejects, by field name:', () => {
  test.each([
    ['no selection', 'vendorName'],
    ['nothing', ''],
    ['an empty selection', '{ }'],
    ['a mutation', 'mutation { id }'],
    ['a named query', 'query A { id }'],
    ['variables', 'query ($a: Int) { id }'],
    ['two selections', '{ id } { id }'],
    ['a named fragment', '{ ...A } fragment A on AccountingVendor { id }'],
    ['an unknown field', '{ vendorNames }'],
    ['an inherited property of objects', '{ constructor }'],
    ['a field of another type', '{ firstName }'],
    ['another type', '{ ... on CrmLead { firstName } }'],
    ['arguments', '{ vendorName(a: 1) }'],
    ['a directive', '{ vendorName @include(if: true) }'],
    ['a field twice', '{ id id }'],
    ['an object without its fields', '{ addresses }'],
    ['a selection on a text', '{ vendorName { a } }'],
    ['a selection on a JSON value', '{ remoteFields { a } }'],
    ['too many tokens', `{ ${Array.from({ length: 1001 }, (_, n) => `a${n}: id`).join(' ')} }`],
    ['a selection that is too long', `{ id ${' '.repeat(4096)}}`],
    ['a selection that is too deep', '{ a '.repeat(500)],
  ])('%s', (_what, payload) => {
    expect(() => readSelection(payload)).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMETER',
        details: [{ field: 'payload', expected: expect.any(String) }],
      }),
    )
  })

  test('rejects a link to another record and names the remedy', () => {
    expect(() => readSelection('{ company { id } }')).toThrow('another record')
  })

  test('rejects any payload when no topic has records', () => {
    expect(() => readSelection('{ id }', ['sync/failed'])).toThrow('no topic has records')
  })
})
