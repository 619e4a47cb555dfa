/** The mapping of every sandbox record to the unified model. */
import { describe, expect, test } from 'vitest'
import type { Field, Fields } from '../../src/definition/field.ts'
import { recordId } from '../../src/definition/identity.ts'
import { createMapper, type RecordRow } from '../../src/definition/mapping.ts'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { createDataset } from '../../src/sandbox/company/history.ts'
import { recordBody } from '../../src/sandbox/responses.ts'

const CREDENTIAL = '9b2c6c1e-7a4d-4c58-8f5e-2f6f0d3a1b77'

const connector = connectors.get('sandbox')
if (!connector) throw new Error('The registry has no sandbox.')
const { records } = await createDataset({
  tenant: 'acme',
  seed: 1,
  start: '2026-03-02T12:00:00.000Z',
})

const topics = catalogue.resources.map(({ topic }) => topic)

const kindOf = (topic: string): string =>
  connector.resources[topic]
    ?.listRequest({ since: undefined, cursor: undefined })
    .path.split(/[/?]/)[2] ?? ''

const mapped = new Map(
  topics.map((topic) => {
    const resource = connector.resources[topic]
    if (!resource) throw new Error(`The sandbox has no ${topic}.`)
    const map = createMapper(resource.mapping)
    const raws = records.filter(({ kind }) => kind === kindOf(topic)).map(recordBody)
    return [topic, raws.map((raw) => map(JSON.parse(JSON.stringify(raw)), CREDENTIAL))]
  }),
)

const rowsOf = (topic: string): readonly RecordRow[] =>
  mapped.get(topic)?.map(({ row }) => row) ?? []

test('the sandbox has every resource and no other', () => {
  expect(Object.keys(connector.resources).toSorted()).toEqual(topics.toSorted())
  expect(new Set(topics.map(kindOf)).size).toBe(topics.length)
})

test('the connector looks for the sandbox at its own address', () => {
  expect(connector.auth.token?.baseUrl).toBe(SANDBOX_ORIGIN)
})

/** Whether the value is neither null nor an empty list. */
const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Paths of fields, nested ones too, that are null or empty in all objects. */
const listNeverShown = (fields: Fields, objects: readonly unknown[], place: string): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const values = objects.map((object) => Object(object)[name]).filter(isSet)
    if (values.length === 0) return [`${place}.${name}`]
    const { shape } = field.kind
    return shape ? listNeverShown(shape.fields, values.flat(), `${place}.${name}`) : []
  })

/** Fields that no record of the sandbox shows, each with its reason. */
const UNSHOWN: Readonly<Record<string, string>> = {}

describe.each(topics)('%s', (topic) => {
  const resource = catalogue.get(topic)

  test('maps without a problem', () => {
    expect(rowsOf(topic).length).toBeGreaterThan(0)
    expect(mapped.get(topic)?.flatMap(({ problems }) => problems)).toEqual([])
  })

  test('shows every field in some record', () => {
    const stamped = new Set(['createdAt', 'updatedAt', 'remoteDeleted'])
    const fields = Object.fromEntries(
      Object.entries(resource.allFields).filter(([name]) => !stamped.has(name)),
    )
    const missing = listNeverShown(fields, rowsOf(topic), topic)
    expect(missing.filter((place) => UNSHOWN[place] === undefined)).toEqual([])
  })
})

/** The ids in reference fields, nested ones too, with their targets. */
function* referencesOf(
  fields: Readonly<Record<string, Field>>,
  object: unknown,
): Generator<{ target: string; id: string }> {
  for (const [name, field] of Object.entries(fields)) {
    const value: unknown = Object(object)[name]
    if (!isSet(value)) continue
    const { reference, shape } = field.kind
    for (const item of [value].flat()) {
      if (reference) yield { target: reference.target, id: String(item) }
      if (shape) yield* referencesOf(shape.fields, item)
    }
  }
}

test('every reference of every row leads to a row', () => {
  const ids = new Set(topics.flatMap((topic) => rowsOf(topic).map(({ id }) => id)))
  for (const row of rowsOf('commerce/products'))
    for (const { remoteId } of row.variants as { remoteId: string }[])
      ids.add(recordId(CREDENTIAL, 'commerce/products.variants', remoteId))
  const seen = new Set<string>()
  for (const topic of topics)
    for (const row of rowsOf(topic))
      for (const { target, id } of referencesOf(catalogue.get(topic).fields, row)) {
        seen.add(`${topic} → ${target}`)
        expect(ids.has(id), `${topic} ${row.remoteId} → ${target}`).toBe(true)
      }
  expect(seen.size).toBeGreaterThan(40)
})

test('sums survive the mapping', () => {
  for (const topic of ['accounting/invoices', 'accounting/bills'])
    for (const row of rowsOf(topic)) {
      const [net, discount, tax, total] = [
        row.subTotal,
        row.totalDiscount,
        row.totalTaxAmount,
        row.totalAmount,
      ].map(Number)
      const lines = row.lineItems as { totalAmount: number }[]
      const sum = lines.reduce((all, line) => all + Number(line.totalAmount), 0)
      expect(sum).toBeCloseTo(net ?? 0, 6)
      expect((net ?? 0) - (discount ?? 0) + (tax ?? 0)).toBeCloseTo(total ?? 0, 6)
    }
})

test('an enum value unknown to the connector is reported', () => {
  const vendors = connector.resources['accounting/vendors']
  if (!vendors) throw new Error('The sandbox has no vendors.')
  const [raw] = records.filter(({ kind }) => kind === 'vendors').map(recordBody)
  const { row, problems } = createMapper(vendors.mapping)(
    { ...raw, vendorStatus: 'asleep' },
    CREDENTIAL,
  )
  expect(row.vendorStatus).toBe(null)
  expect(problems.map(({ path }) => path)).toEqual(['vendorStatus'])
})
