/** The HubSpot simulator rejects whatever the vendor's contract does not declare. */
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import type { Json } from './engine/json.ts'
import { checkOf, schemas } from './hubspot/contract.ts'
import { objectTypes } from './hubspot/object-types.ts'
import { type PropertyDefinition, standardProperties } from './hubspot/property-definitions.ts'
import { errorOf, openPortal } from './hubspot-client.ts'

type Schema = Readonly<Record<string, unknown>>

const spec = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }
const link = { to: { id: '7' }, types: [spec] }
const properties = { name: 'A' }
const pair = { from: { id: '1' }, to: { id: '2' } }

/** A body of each request with every field that is declared. */
const bodies: Readonly<Record<string, Json>> = {
  CreateRecord: { properties, associations: [link] },
  UpdateRecord: { properties },
  BatchRead: {
    inputs: [{ id: '1' }],
    properties: ['name'],
    propertiesWithHistory: [],
    idProperty: 'email',
  },
  BatchCreate: { inputs: [{ properties, associations: [link], objectWriteTraceId: 't' }] },
  BatchUpdate: { inputs: [{ id: '1', properties, idProperty: 'e', objectWriteTraceId: 't' }] },
  BatchArchive: { inputs: [{ id: '1' }] },
  Merge: { primaryObjectId: '1', objectIdToMerge: '2' },
  Search: {
    query: 'a',
    limit: 10,
    after: '0',
    properties: ['name'],
    sorts: [{ propertyName: 'name', direction: 'ASCENDING' }],
    filterGroups: [
      {
        filters: [
          { propertyName: 'a', operator: 'BETWEEN', value: '1', highValue: '2', values: ['1'] },
        ],
      },
    ],
  },
  AssociationTypes: { types: [spec] },
  AssociationsRead: { inputs: [{ id: '1', after: 'c' }] },
  AssociationsCreate: { inputs: [{ ...pair, types: [spec] }] },
  AssociationsDefault: { inputs: [pair] },
  AssociationsArchive: { inputs: [{ from: { id: '1' }, to: [{ id: '2' }] }] },
}

const schemaNamed = (name: string): Schema => ({ ...schemas[name] })

const resolveSchema = (schema: Schema): Schema => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const found = name === undefined ? schema : schemaNamed(name)
  // Of several alternatives, the schema that has fields.
  return Array.isArray(found.anyOf) ? { ...found.anyOf.at(-1) } : found
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly schema: Schema
}

/** The declared fields, each at its place in a body with one element in each list. */
const placesIn = (schema: Schema, path: Place['path'] = []): readonly Place[] => {
  const { type, items, properties: fields } = resolveSchema(schema)
  if (type === 'array') return placesIn({ ...Object(items) }, [...path, 0])
  return Object.entries({ ...Object(fields) }).flatMap(([name, field]): readonly Place[] => {
    const place = { path: [...path, name], schema: { ...Object(field) } }
    return [place, ...placesIn(place.schema, place.path)]
  })
}

const valueAt = (value: Json | undefined, path: Place['path']): Json | undefined =>
  path.reduce<Json | undefined>((inner, step) => Object(inner)[step], value)

/** A copy of a body with the value at a place replaced, perhaps under another name. */
const replaceAt = (
  body: Json,
  path: Place['path'],
  value: Json,
  name = path.at(-1) ?? '',
): Json => {
  const copy = structuredClone(body)
  const parent = Object(valueAt(copy, path.slice(0, -1)))
  delete parent[path.at(-1) ?? '']
  parent[name] = value
  return copy
}

describe.each(Object.keys(bodies))('the body of %s', (name) => {
  const body = bodies[name] ?? null
  const check = checkOf(name)
  const places = placesIn({ $ref: `#/$defs/${name}` })

  test('accepts each declared field, and rejects it under another name or of another type', () => {
    expect(check(body)).toEqual([])
    expect(places.length).toBeGreaterThan(0)
    const failures = places.flatMap(({ path, schema }) => {
      const place = path.join('.')
      const value = valueAt(body, path)
      if (value === undefined) return [`${place} is not in the body`]
      const hasProblem = (changed: Json) => check(changed).length > 0
      const { type } = resolveSchema(schema)
      const mistyped = type === 'array' ? 'text' : type === 'object' ? [7] : { a: 1 }
      const isEnum = Array.isArray(resolveSchema(schema).enum)
      return [
        ...(hasProblem(replaceAt(body, path, value, `${path.at(-1)}x`))
          ? []
          : [`${place} renamed`]),
        ...(hasProblem(replaceAt(body, path, mistyped)) ? [] : [`${place} mistyped`]),
        ...(isEnum && !hasProblem(replaceAt(body, path, 'no such value'))
          ? [`${place} value`]
          : []),
      ]
    })
    expect(failures).toEqual([])
  })
})

test('the cases above cover every request of the contract', () => {
  const ofRecords = Object.keys(schemas).filter((name) =>
    /^(Batch|Create|Update|Merge|Search$|AssociationTypes|Associations(Read|Create|Default|Archive)$)/.test(
      name,
    ),
  )
  expect(Object.keys(bodies).sort()).toEqual(ofRecords.sort())
})

/** A value that a property accepts, and one that it does not. */
const valuesOf = ({
  type,
  options,
  name,
}: PropertyDefinition): readonly [valid: string, invalid: string | undefined] => {
  if (name === 'email') return ['a@example.com', 'a']
  if (type === 'enumeration' || type === 'bool') return [options[0]?.value ?? '', 'no such value']
  if (type === 'number') return ['7.5', 'seven']
  return type === 'string' ? ['text', undefined] : ['2026-11-23T00:00:00Z', 'soon']
}

describe.each([...objectTypes.keys()])('the properties of %s', (typeName) => {
  test('are accepted by their names and types, or read-only', async () => {
    const { simulator, send, post, portal, owner } = openPortal()
    const types = [...(standardProperties.get(typeName)?.values() ?? [])]
    const isWritable = (objectTypes.get(typeName)?.writeScopes.length ?? 0) > 0
    const contact = String(portal.create('contacts', { lastname: 'A' }).id)
    const required = {
      lastname: 'A',
      name: 'A',
      dealname: 'A',
      dealstage: 'contractsent',
      hs_lead_name: 'A',
      hs_timestamp: '2026-11-23T00:00:00Z',
    }
    const own = Object.fromEntries(
      Object.entries(required).filter(([name]) => types.some((type) => type.name === name)),
    )
    const targets = typeName === 'leads' ? [{ type: 'contacts', id: contact, typeId: 578 }] : []
    const { id } = isWritable ? portal.create(typeName, own, targets) : { id: '0' }
    const external = { owner, pipeline: '', stage: '' }
    const write = async (name: string, value: string) => {
      const body = { properties: { [name]: value } }
      const { status, json } = await send('PATCH', `/objects/V/${typeName}/${id}`, { body })
      return status === 200 ? 'accepted' : json.errors[0].code
    }
    const failures: string[] = []
    const expectThat = (name: string, found: string, expected: RegExp) => {
      if (!expected.test(found)) failures.push(`${name}: ${found}`)
    }
    for (const definition of isWritable ? types : []) {
      const { name, isReadOnly, externalOptions } = definition
      const [valid, refused] = valuesOf(definition)
      const value = externalOptions ? external[externalOptions] : valid
      expectThat(name, await write(name, value), isReadOnly ? /^READ_ONLY_VALUE$/ : /^accepted$/)
      expectThat(name, await write(`${name}x`, value), /^PROPERTY_DOESNT_EXIST$/)
      if (refused !== undefined && !isReadOnly)
        expectThat(name, await write(name, refused), /^INVALID_/)
    }
    for (const { name } of types) {
      const list = await send('GET', `/objects/V/${typeName}?properties=${name}`)
      const misspelled = await send('GET', `/objects/V/${typeName}?properties=${name}x`)
      const search = await post(`/objects/V/${typeName}/search`, { properties: [`${name}x`] })
      expectThat(name, String(list.status), /^200$/)
      expectThat(name, `${misspelled.status} ${search.status}`, /^400 400$/)
    }
    expect(failures).toEqual([])
    simulator.assertSound()
  })
})

describe('a request is rejected for', () => {
  test.each<
    [string, string, string, { headers?: Record<string, string>; body?: unknown }, number, string]
  >([
    ['an unknown path', 'GET', '/objects/V/contacts/1/notes', {}, 404, 'OBJECT_NOT_FOUND'],
    ['an undeclared version', 'GET', '/objects/2025-01/contacts', {}, 404, 'OBJECT_NOT_FOUND'],
    ['an unknown type', 'GET', '/objects/V/contact', {}, 400, 'VALIDATION_ERROR'],
    [
      'an unknown type of associations',
      'GET',
      '/objects/V/contacts?associations=company',
      {},
      400,
      'VALIDATION_ERROR',
    ],
    ['an unknown method', 'PUT', '/objects/V/contacts/1', {}, 405, 'VALIDATION_ERROR'],
    ['an undeclared parameter', 'GET', '/objects/V/contacts?count=5', {}, 400, 'VALIDATION_ERROR'],
    [
      'a history',
      'GET',
      '/objects/V/contacts?propertiesWithHistory=email',
      {},
      400,
      'VALIDATION_ERROR',
    ],
    ['a page of 101', 'GET', '/objects/V/contacts?limit=101', {}, 400, 'VALIDATION_ERROR'],
    [
      'a flag that is neither',
      'GET',
      '/objects/V/contacts?archived=1',
      {},
      400,
      'VALIDATION_ERROR',
    ],
    ['a repeated limit', 'GET', '/objects/V/contacts?limit=1&limit=2', {}, 400, 'VALIDATION_ERROR'],
    [
      'an undeclared header',
      'GET',
      '/objects/V/contacts',
      { headers: { 'if-match': '1' } },
      400,
      'VALIDATION_ERROR',
    ],
    ['a body of a read', 'GET', '/objects/V/contacts', { body: {} }, 400, 'VALIDATION_ERROR'],
    [
      'a number as a value',
      'POST',
      '/objects/V/deals',
      { body: { properties: { amount: 5 } } },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'null as a value',
      'POST',
      '/objects/V/deals',
      { body: { properties: { amount: null } } },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'properties outside of their object',
      'POST',
      '/objects/V/contacts',
      { body: { email: 'a@example.com' } },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a list of records',
      'POST',
      '/objects/V/contacts',
      { body: [{ properties: {} }] },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'an object instead of association types',
      'PUT',
      '/objects/V/contacts/1/associations/companies/2',
      { body: spec },
      404,
      'OBJECT_NOT_FOUND',
    ],
    [
      'another media type',
      'POST',
      '/objects/V/contacts',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'VALIDATION_ERROR',
    ],
    ['an unknown pipeline', 'GET', '/pipelines/V/deals/none', {}, 404, 'OBJECT_NOT_FOUND'],
    ['an unknown owner', 'GET', '/owners/V/99', {}, 404, 'OBJECT_NOT_FOUND'],
    [
      'a pair that cannot be associated',
      'POST',
      '/associations/V/notes/tasks/batch/associate/default',
      { body: { inputs: [pair] } },
      400,
      'VALIDATION_ERROR',
    ],
  ])('%s', async (_what, method, path, request, status, category) => {
    const { send, simulator } = openPortal()
    const reply = await send(method, path, request)
    expect(errorOf(reply)).toEqual([status, category])
    expect(reply.json.correlationId).toBe(reply.headers['x-hubspot-correlation-id'])
    simulator.assertSound()
  })

  test('association types that are not a list of known ones', async () => {
    const { send, portal } = openPortal()
    const contact = portal.create('contacts', { lastname: 'A' }).id
    const company = portal.create('companies', { name: 'A' }).id
    const path = `/objects/V/contacts/${contact}/associations/companies/${company}`
    for (const body of [spec, [], [{ ...spec, associationTypeId: 280 }], [{ ...spec, a: 1 }], '['])
      expect(errorOf(await send('PUT', path, { body }))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await send('PUT', path, { body: [spec] })).status).toBe(201)
  })

  test.each<[string, string, string, string, unknown?]>([
    ['crm.objects.contacts.read', 'GET', '/objects/V/contacts', ''],
    ['crm.objects.deals.read', 'POST', '/objects/V/deals/search', '', {}],
    [
      'crm.objects.leads.write',
      'POST',
      '/objects/V/leads',
      'crm.objects.leads.read',
      { properties: {} },
    ],
    ['crm.objects.owners.read', 'GET', '/owners/V', ''],
    ['crm.schemas.deals.read', 'GET', '/properties/V/deals', ''],
    ['crm.schemas.deals.read', 'GET', '/pipelines/V/deals', ''],
    [
      'crm.objects.companies.read',
      'GET',
      '/objects/V/contacts/1/associations/companies',
      'crm.objects.contacts.read',
    ],
  ])('the missing scope %s of %s %s', async (scope, method, path, granted, body) => {
    const { send } = openPortal({}, ['oauth', granted])
    const reply = await send(method, path, body === undefined ? {} : { body })
    expect(errorOf(reply)).toEqual([403, 'MISSING_SCOPES'])
    expect(reply.json.errors[0].context.requiredGranularScopes).toContain(scope)
  })

  test('a missing or unknown token', async () => {
    const { simulator } = openPortal()
    for (const token of [undefined, 'x']) {
      const send = createClient(simulator, token)
      const reply = await send('GET', '/crm/objects/2026-03/contacts')
      expect(errorOf(reply)).toEqual([401, 'INVALID_AUTHENTICATION'])
    }
  })
})

test('a response that does not fit the contract is a defect', async () => {
  const { simulator, portal, send } = openPortal()
  const store = simulator.accounts.find(portal.id)?.store
  store?.insert('contacts', '7', { properties: {}, archivedAt: 'yesterday' })
  expect((await send('GET', '/objects/V/contacts?archived=true')).status).toBe(500)
  expect(simulator.assertSound).toThrow('archivedAt must match format')
})
