/** The QuickBooks simulator rejects whatever the vendor's schema does not declare. */
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import type { Json } from './engine/json.ts'
import { checkOf, definitionNamed, propertiesOf, type Schema } from './quickbooks/contract.ts'
import { entities } from './quickbooks/entities.ts'
import { createQuickBooks } from './quickbooks/start.ts'
import { parseXml } from './quickbooks/xml.ts'
import { readSchemas } from './quickbooks/xsd.ts'

/** A field that is declared somewhere in an entity. */
interface Place {
  /** Names from the entity down; lists have one element. */
  readonly path: readonly string[]
  readonly schema: Schema
}

const nameOf = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined

const elementOf = (schema: Schema): Schema =>
  schema.type === 'array' ? { ...Object(schema.items) } : schema

/** Every declared field of an entity; each type is entered once. */
const placesIn = (entity: string): readonly Place[] => {
  const places: Place[] = []
  const entered = new Set([entity])
  const queue: { readonly type: string; readonly path: readonly string[] }[] = [
    { type: entity, path: [] },
  ]
  for (const { type, path } of queue)
    for (const [name, schema] of Object.entries(propertiesOf(definitionNamed(type)))) {
      places.push({ path: [...path, name], schema })
      const inner = nameOf(elementOf(schema))
      if (inner === undefined || entered.has(inner)) continue
      entered.add(inner)
      queue.push({ type: inner, path: [...path, name] })
    }
  return places
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-23',
  'date-time': '2026-11-23T12:00:00-08:00',
}

/** The smallest value that fits a schema. */
const sampleOf = (schema: Schema): Json => {
  const type = nameOf(schema)
  if (type !== undefined) return sampleOf(definitionNamed(type))
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'array') return [sampleOf(elementOf(schema))]
  if (schema.type === 'boolean') return true
  if (schema.type === 'number' || schema.type === 'integer') return 1
  if (schema.type === 'string') return FORMATS[String(schema.format)] ?? 'text'
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = propertiesOf(schema)
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
}

/** An entity with this value at a place, with what the types on the way require. */
const valueWith = (entity: string, path: readonly string[], value: Json): Json => {
  const build = (type: string, [name = '', ...rest]: readonly string[], last: string): Json => {
    const schema = propertiesOf(definitionNamed(type))[name] ?? {}
    const inner = rest.length === 0 ? value : build(nameOf(elementOf(schema)) ?? '', rest, last)
    const isList = schema.type === 'array' && rest.length > 0
    const key = rest.length === 0 ? last : name
    return { ...Object(sampleOf({ $ref: type })), [key]: isList ? [inner] : inner }
  }
  return build(entity, path, path.at(-1) ?? '')
}

/** A value of another type than the schema's. */
const mistypedValue = (schema: Schema): Json => {
  const type = nameOf(schema)
  const resolved = type === undefined ? schema : definitionNamed(type)
  return resolved.type === 'string' ? 7 : resolved.type === 'array' ? 'text' : [true]
}

const isEnum = (schema: Schema): boolean =>
  Array.isArray(schema.enum) || Array.isArray(definitionNamed(nameOf(schema) ?? '').enum)

const rename = (path: readonly string[]): readonly string[] => [
  ...path.slice(0, -1),
  `${path.at(-1)}x`,
]

describe.each([...entities.keys()])('%s', (entity) => {
  test('accepts each declared field, and rejects it under another name or with another type', () => {
    const check = checkOf(entity)
    const places = placesIn(entity)
    expect(places.length).toBeGreaterThan(15)
    const failures = places.flatMap(({ path, schema }) => {
      const place = path.join('.')
      const isMistaken = (value: Json, kinds: readonly string[]) =>
        check(value).some(({ kind }) => kinds.includes(kind))
      return [
        ...check(valueWith(entity, path, sampleOf(schema))).map(
          ({ message }) => `${place} ${message}`,
        ),
        ...(isMistaken(valueWith(entity, rename(path), sampleOf(schema)), ['undeclared'])
          ? []
          : [`${place} renamed`]),
        ...(isMistaken(valueWith(entity, path, mistypedValue(schema)), ['type', 'enum'])
          ? []
          : [`${place} mistyped`]),
        ...(isEnum(schema) && !isMistaken(valueWith(entity, path, 'no such value'), ['enum'])
          ? [`${place} with an unknown value`]
          : []),
      ]
    })
    expect(failures).toEqual([])
  })
})

describe('a request is rejected for', () => {
  const customer = { DisplayName: 'Amy' }
  test.each<
    [string, string, string, { headers?: Record<string, string>; body?: unknown }, number, string]
  >([
    ['a misspelled field', 'POST', '/customer', { body: { ...customer, Note: 'x' } }, 400, '2010'],
    [
      'a misspelled nested field',
      'POST',
      '/customer',
      { body: { BillAddr: { Line: 'x' } } },
      400,
      '2010',
    ],
    [
      'a number as text',
      'POST',
      '/customer',
      { body: { ...customer, CreditLimit: '1.00' } },
      400,
      '2010',
    ],
    ['null', 'POST', '/customer', { body: { ...customer, Notes: null } }, 400, '2010'],
    ['an unknown enum value', 'POST', '/item', { body: { Name: 'x', Type: 'Thing' } }, 400, '2170'],
    ['an array', 'POST', '/customer', { body: [customer] }, 400, '2010'],
    [
      'another media type',
      'POST',
      '/customer',
      { body: customer, headers: { 'content-type': 'text/plain' } },
      415,
      '2010',
    ],
    ['an unknown parameter', 'GET', '/customer/1?fields=Id', {}, 400, '2010'],
    [
      'a parameter in the wrong case',
      'POST',
      '/customer?requestId=1',
      { body: customer },
      400,
      '2010',
    ],
    [
      'a requestid that is too long',
      'POST',
      `/customer?requestid=${'x'.repeat(51)}`,
      { body: customer },
      400,
      '2010',
    ],
    [
      'an unknown header',
      'GET',
      '/customer/1',
      { headers: { 'if-modified-since': 'x' } },
      400,
      '2010',
    ],
    ['an unknown path', 'GET', '/customers', {}, 404, '500'],
    ['an unknown method', 'DELETE', '/customer/1', {}, 404, '500'],
    ['a query without the text', 'GET', '/query', {}, 400, '2020'],
  ])('%s', async (_what, method, path, request, status, code) => {
    const simulator = createQuickBooks({ limited: false })
    simulator.addCompany('1', 'Acme')
    const send = createClient(simulator, simulator.oauth.issue('1').accessToken)
    const headers = { accept: 'application/json', ...request.headers }
    const reply = await send(method, `/v3/company/1${path}`, { ...request, headers })
    expect([reply.status, reply.json.Fault?.Error[0].code]).toEqual([status, code])
    expect(reply.headers.intuit_tid).toMatch(/^[\da-f-]{36}$/)
    simulator.assertSound()
  })

  test('XML, which the vendor sends unless JSON is requested', async () => {
    const simulator = createQuickBooks()
    simulator.addCompany('1', 'Acme')
    const send = createClient(simulator, simulator.oauth.issue('1').accessToken)
    const reply = await send('GET', '/v3/company/1/customer/1')
    expect([reply.status, reply.headers['content-type']]).toEqual([400, 'application/xml'])
  })

  test('a company or a scope that the token is not for, in the form of the gateway', async () => {
    const simulator = createQuickBooks()
    simulator.addCompany('1', 'Acme')
    simulator.addCompany('2', 'Other')
    const headers = { accept: 'application/json' }
    const scopes = ['com.intuit.quickbooks.payment']
    const replies = [
      await createClient(simulator, simulator.oauth.issue('1').accessToken)(
        'GET',
        '/v3/company/2/customer/1',
        { headers },
      ),
      await createClient(simulator, simulator.oauth.issue('1', { scopes }).accessToken)(
        'GET',
        '/v3/company/1/customer/1',
        { headers },
      ),
      await createClient(simulator, 'unknown')('GET', '/v3/company/1/customer/1', { headers }),
    ]
    expect(replies.map(({ status, json }) => [status, json.fault.error[0].code])).toEqual([
      [403, '3100'],
      [403, '3100'],
      [401, '3200'],
    ])
    simulator.assertSound()
  })
})

test('a response with an invented field is a defect', async () => {
  const simulator = createQuickBooks()
  simulator.addCompany('1', 'Acme')
  const { store } = simulator.accounts.find('1') ?? {}
  store?.insert('Vendor', '1', { Id: '1', DisplayName: 'A', Mood: 'good' })
  const send = createClient(simulator, simulator.oauth.issue('1').accessToken)
  const headers = { accept: 'application/json' }
  expect((await send('GET', '/v3/company/1/vendor/1', { headers })).status).toBe(500)
  expect(simulator.assertSound).toThrow('Vendor.Mood must NOT have additional properties')
})

test('the schema reader takes over choices, groups, attributes, extensions and lists', () => {
  const schemas = readSchemas([
    parseXml(`<?xml version="1.0"?><xs:schema><!-- <x> -->
      <xs:complexType name="Base"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
        <xs:attribute name="at" type="Colour"/></xs:complexType>
      <xs:group name="G"><xs:sequence><xs:element name="g" type="xs:date"/></xs:sequence></xs:group>
      <xs:complexType name="Sub"><xs:complexContent><xs:extension base="Base"><xs:sequence>
        <xs:choice><xs:element name="b" type="Base"/></xs:choice><xs:group ref="G" minOccurs="0"/>
        <xs:element name="l" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
        <xs:element name="any" type="IntuitAnyType"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
      <xs:simpleType name="Colour"><xs:restriction base="xs:string"><xs:enumeration value='red'/></xs:restriction></xs:simpleType>
      <xs:complexType name="Ref"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="name" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
    </xs:schema>`),
  ])
  const text = { type: 'string' }
  expect(schemas).toEqual({
    Base: {
      type: 'object',
      properties: { a: { type: 'integer' }, at: { $ref: '#/$defs/Colour' } },
      required: ['a'],
      additionalProperties: false,
    },
    Sub: {
      type: 'object',
      properties: {
        a: { type: 'integer' },
        at: { $ref: '#/$defs/Colour' },
        b: { $ref: '#/$defs/Base' },
        g: { type: 'string', format: 'date' },
        l: { type: 'array', items: text },
      },
      required: ['a'],
      additionalProperties: false,
    },
    Ref: {
      type: 'object',
      properties: { value: text, name: text },
      required: [],
      additionalProperties: false,
    },
    Colour: { type: 'string', enum: ['red'] },
  })
  expect(() => parseXml('<a><b></a>')).toThrow('</a> closes b')
})
