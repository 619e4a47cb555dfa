/** Validation of workflow definitions: each error names the place and suggests a fix. */
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { checkWorkflowDefinition } from '../../src/workflows/definition.ts'
import { mapFields } from '../../src/workflows/mapping.ts'
import { meetsConditions } from '../../src/workflows/match.ts'
import { apps, defineWorkflow, ordersToNotes } from './apps.ts'

const check = (json: unknown) => checkWorkflowDefinition(catalogue, apps, json)

const orders = { app: 'shop', topic: 'commerce/orders' }
const post = { post: { address: 'https://example.com/hook' } }
const upsert = (change: object) => ({
  upsert: { app: 'crm', resource: 'crm/notes', fields: { noteTitle: 'x' }, ...change },
})

test('fills in the defaults of a workflow', () => {
  expect(check(ordersToNotes({ noteTitle: 'Order {orderNumber}' }))).toEqual({
    when: { ...orders, kinds: ['created', 'updated'], if: {} },
    action: upsert({ fields: { noteTitle: 'Order {orderNumber}' } }),
  })
})

describe('accepts', () => {
  test.each<[string, object]>([
    ['a path in the record', { noteContent: { from: 'customer.email' } }],
    ['a path in a list', { noteContent: { from: 'lineItems.0.title' } }],
    ['a number as text', { noteTitle: { from: 'totalPrice' } }],
    ['a remote field', { noteTitle: { from: 'remoteFields.tags.first' } }],
    ['a text with values and braces', { noteTitle: '{{{orderNumber}}} of {customer.email}' }],
    ['a constant reference', { noteContact: '42' }],
    ['nothing', { noteContent: null }],
  ])('%s', (_what, fields) => {
    expect(check(ordersToNotes(fields))).toMatchObject({ action: { upsert: { fields } } })
  })

  test('an address on this machine, for development', () => {
    const address = 'http://127.0.0.1:8080/hook'
    expect(check(defineWorkflow(orders, { post: { address } }))).toMatchObject({
      action: { post: { address } },
    })
  })
})

describe('rejects', () => {
  const workflowWithFields = (fields: object) => defineWorkflow(orders, upsert({ fields }))
  test.each<[string, unknown, string, string]>([
    ['no object', 'x', '', 'an object with when, then'],
    ['a list', [], '', 'an object with when, then'],
    [
      'a word too many',
      { ...defineWorkflow(orders, post), also: 1 },
      '.also',
      'and no other member',
    ],
    ['no trigger', defineWorkflow([], post), '.when', 'an object'],
    [
      'an unknown app',
      defineWorkflow({ ...orders, app: 'chop' }, post),
      '.when.app',
      'such as shop',
    ],
    [
      'an unknown topic of the app',
      defineWorkflow({ ...orders, topic: 'commerce/order' }, post),
      '.when.topic',
      'such as commerce/orders',
    ],
    [
      'an event',
      defineWorkflow({ ...orders, topic: 'sync/completed' }, post),
      '.when.topic',
      'a resource of shop',
    ],
    [
      'no kinds',
      defineWorkflow({ ...orders, kinds: [] }, post),
      '.when.kinds',
      'created, updated, deleted',
    ],
    [
      'a duplicate kind',
      defineWorkflow({ ...orders, kinds: ['created', 'created'] }, post),
      '.when.kinds',
      'at most once',
    ],
    [
      'a condition on an unknown field',
      defineWorkflow({ ...orders, if: { orderStats: 1 } }, post),
      '.when.if.orderStats',
      'such as orderStatus',
    ],
    [
      'a condition on a list',
      defineWorkflow({ ...orders, if: { lineItems: 1 } }, post),
      '.when.if.lineItems',
      'with a single value',
    ],
    [
      'a condition that is an object',
      defineWorkflow({ ...orders, if: { orderStatus: {} } }, post),
      '.when.if.orderStatus',
      'a text, a number, true, false or null',
    ],
    [
      'an inherited property of objects',
      defineWorkflow({ ...orders, if: { constructor: 1 } }, post),
      '.when.if.constructor',
      'such as',
    ],
    ['no action', defineWorkflow(orders, {}), '.then', 'exactly one of upsert and post'],
    [
      'two actions',
      defineWorkflow(orders, { ...post, ...upsert({}) }),
      '.then',
      'exactly one of upsert and post',
    ],
    [
      'a read-only target',
      defineWorkflow(orders, upsert({ resource: 'crm/leads' })),
      '.then.upsert.resource',
      'can create and update',
    ],
    ['no fields', workflowWithFields({}), '.then.upsert.fields', 'at least one field'],
    [
      'an unknown field',
      workflowWithFields({ noteTitel: 'x' }),
      '.then.upsert.fields.noteTitel',
      'such as noteTitle',
    ],
    [
      'an unknown path',
      workflowWithFields({ noteTitle: { from: 'orderNumbers' } }),
      '.then.upsert.fields.noteTitle.from',
      'such as orderNumber',
    ],
    [
      'a path to an object',
      workflowWithFields({ noteTitle: { from: 'customer' } }),
      '.then.upsert.fields.noteTitle.from',
      'customer is object',
    ],
    [
      'more properties than a path',
      workflowWithFields({ noteTitle: { from: 'orderNumber', x: 1 } }),
      '.then.upsert.fields.noteTitle',
      '{ "from": "path" }',
    ],
    [
      'an open brace',
      workflowWithFields({ noteTitle: 'Order {orderNumber' }),
      '.then.upsert.fields.noteTitle',
      'closed braces',
    ],
    [
      'an unknown path in a text',
      workflowWithFields({ noteTitle: '{orderNumbr}' }),
      '.then.upsert.fields.noteTitle',
      'such as orderNumber',
    ],
    [
      'a constant of another type',
      workflowWithFields({ noteTitle: 7 }),
      '.then.upsert.fields.noteTitle',
      'a string',
    ],
    [
      'an id of another app',
      workflowWithFields({ noteContact: { from: 'id' } }),
      '.then.upsert.fields.noteContact',
      'a constant',
    ],
    [
      'a text for a number',
      defineWorkflow(orders, {
        upsert: { app: 'crm', resource: 'crm/opportunities', fields: { amount: '{totalPrice}' } },
      }),
      '.then.upsert.fields.amount',
      'a constant or { "from"',
    ],
    [
      'an address without TLS',
      defineWorkflow(orders, { post: { address: 'http://example.com/' } }),
      '.then.post.address',
      'https://',
    ],
    [
      'an address with a password',
      defineWorkflow(orders, { post: { address: 'https://a:b@example.com/' } }),
      '.then.post.address',
      'without a password',
    ],
    ['no address', defineWorkflow(orders, { post: {} }), '.then.post.address', 'https://'],
  ])('%s', (_what, json, place, expected) => {
    const refusal = expect.objectContaining({
      code: 'INVALID_PARAMETER',
      details: [{ field: `definition${place}`, expected: expect.stringContaining(expected) }],
    })
    expect(() => check(json)).toThrow(ApiError)
    expect(() => check(json)).toThrow(refusal)
  })
})

describe('a mapping', () => {
  const notes = catalogue.get('crm/notes')
  const record = {
    orderNumber: 'A1',
    totalPrice: '12.50',
    customer: { email: null },
    lineItems: [],
  }

  test('inserts values into texts, and nothing for missing ones', () => {
    const title = '{{{orderNumber}}} {customer.email}{lineItems.0.title}= {totalPrice}'
    expect(
      mapFields({ noteTitle: title, noteContent: { from: 'customer.email' } }, notes, record),
    ).toEqual({ noteTitle: '{A1} = 12.50', noteContent: null })
  })

  test('rejects a value of the record that does not fit', () => {
    const json = { remoteFields: { tag: { a: 1 } } }
    expect(() => mapFields({ noteTitle: { from: 'remoteFields.tag' } }, notes, json)).toThrow(
      'remoteFields.tag: expected a text, a number, true or false.',
    )
  })
})

test('conditions compare numbers as numbers, and missing values with null', () => {
  const resource = catalogue.get('commerce/orders')
  const meetsAll = (conditions: object, record: object) =>
    meetsConditions({ ...conditions }, resource, record)
  expect(meetsAll({ totalPrice: 12.5 }, { totalPrice: '12.50' })).toBe(true)
  expect(meetsAll({ totalPrice: '12.5' }, { totalPrice: '12.50' })).toBe(true)
  expect(meetsAll({ totalPrice: 0 }, { totalPrice: null })).toBe(false)
  expect(meetsAll({ totalPrice: null }, { totalPrice: '0' })).toBe(false)
  expect(meetsAll({ orderStatus: null }, {})).toBe(true)
  expect(meetsAll({ orderStatus: 'open', orderNumber: 'A' }, { orderStatus: 'open' })).toBe(false)
})
