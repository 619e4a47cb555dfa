/** Every writable resource: created, changed in every field, version-checked, deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Field, Fields } from '../../src/definition/field.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { normalizeValue } from '../../src/definition/value.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { samples } from './write-samples.ts'
import {
  CREDENTIAL,
  connector,
  type FieldValues,
  type TenantWrites,
  tenantWrites,
  writerOf,
} from './writing.ts'

const topics = Object.keys(samples)

let harness: SandboxHarness
let writes: TenantWrites
/** Values that depend on the tenant's own records. */
let more: Readonly<Record<string, FieldValues>>
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
  const { body: order } = await harness.request('GET', '/v1/orders/ord_0001')
  const [item] = order.lineItems
  more = {
    'commerce/fulfillments': {
      lineItems: [
        {
          lineItemId: item.id,
          productId: item.productId,
          variantId: item.variantId,
          title: item.title,
          sku: item.sku,
          price: item.price,
          quantity: 1,
        },
      ],
    },
  }
})
afterAll(() => harness.stop())

const fieldAt = (fields: Fields, path: string): Field | undefined => {
  const [name = '', ...rest] = path.split('.')
  const { [name]: field } = fields
  if (rest.length === 0 || !field) return field
  const { shape } = field.kind
  return shape && fieldAt(shape.fields, rest.join('.'))
}

/** A value as the mapping would read it, without omitted fields. */
const expectedValue = (field: Field, value: unknown): unknown => {
  const context = { credentialId: CREDENTIAL, report: () => {} }
  const { shape } = field.kind
  if (!shape) return normalizeValue(field, value, context, '')
  const expectedObject = (object: object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, part]) => {
        const inner = shape.fields[name]
        if (!inner) throw new Error(`There is no field ${name}.`)
        const read = expectedValue(inner, part)
        return [name, inner.kind.name === 'number' ? Number(read) : read]
      }),
    )
  return Array.isArray(value) ? value.map(expectedObject) : expectedObject(Object(value))
}

const namesOf = (value: unknown): string[] =>
  [value].flat().flatMap((object) => (object ? Object.keys(Object(object)) : []))

test('covers every writable resource', () => {
  const writable = Object.entries(connector.resources).flatMap(([topic, { write }]) =>
    write ? [topic] : [],
  )
  expect(writable.toSorted()).toEqual(topics.toSorted())
  for (const { topic, verbs } of catalogue.resources)
    expect(writable.includes(topic), topic).toBe(verbs.includes('update'))
})

describe.each(topics)('%s', (topic) => {
  const { fields } = catalogue.get(topic)
  const changedFields = () => ({ ...samples[topic]?.update, ...more[topic] })
  const createRecord = () => writes.create(topic, samples[topic]?.create ?? {})
  /** Writable fields that the sample does not set. */
  const listMissingFields = (accepted: readonly string[], all: FieldValues): string[] => {
    const named = Object.entries(all).flatMap(([name, value]) => [
      name,
      ...(typeof value === 'object' ? namesOf(value).map((inner) => `${name}.${inner}`) : []),
    ])
    return accepted.filter((path) => !named.includes(path))
  }
  const expectShown = (row: RecordRow, all: FieldValues): void => {
    for (const [name, value] of Object.entries(all)) {
      const field = fields[name]
      if (!field) throw new Error(`There is no field ${name}.`)
      expect(row, name).toMatchObject({ [name]: expectedValue(field, value) })
    }
  }

  test('accepts only fields that it has', () => {
    const { create, update } = writerOf(topic)
    for (const accepted of [create?.fields ?? [], update?.fields ?? []]) {
      expect(accepted.length).toBeGreaterThan(0)
      expect(accepted.filter((path) => !fieldAt(fields, path))).toEqual([])
    }
  })

  test('is created and returned as a listing shows it', async () => {
    const { raw, row } = await createRecord()
    expectShown(row, samples[topic]?.create ?? {})
    const { path } = connector.resources[topic]?.listRequest({
      since: raw.modified,
      cursor: undefined,
    }) ?? { path: '' }
    const { body } = await harness.request('GET', path)
    expect(body.items).toContainEqual(raw)
    expect((await writes.get(topic, raw.id))?.raw).toEqual(raw)
  })

  test('is created with every field that it accepts', async () => {
    const all = { ...samples[topic]?.create, ...changedFields() }
    const { excluded = [] } = samples[topic] ?? {}
    expect(listMissingFields(writerOf(topic).create?.fields ?? [], all)).toEqual(excluded)
    expectShown((await writes.create(topic, all)).row, all)
  })

  test('is changed in every field that it accepts', async () => {
    const { excluded = [] } = samples[topic] ?? {}
    expect(listMissingFields(writerOf(topic).update?.fields ?? [], changedFields())).toEqual(
      excluded,
    )
    const before = await createRecord()
    const { row, raw } = await writes.update(topic, before, changedFields())
    expectShown(row, changedFields())
    expect([raw.id, raw.version]).toEqual([before.raw.id, before.raw.version + 1])
    expect((await writes.get(topic, raw.id))?.raw).toEqual(raw)
  })

  test('accepts null, which clears a field, or rejects it by name', async () => {
    const accepted = new Set(
      (writerOf(topic).update?.fields ?? []).map((path) => path.split('.')[0]),
    )
    let record = await writes.update(topic, await createRecord(), changedFields())
    for (const name of accepted) {
      if (name === undefined) continue
      const before = record.row[name]
      try {
        record = await writes.update(topic, record, { [name]: null })
      } catch (error) {
        expect(error).toMatchObject({ kind: 'refused', field: name })
        continue
      }
      const value = record.row[name]
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
      // A value that the sandbox computes, or its default, replaces null.
      if (!isEmpty) expect(value, name).not.toEqual(before)
    }
  })

  test('rejects a write of an outdated version as a conflict, and changes nothing', async () => {
    const first = await createRecord()
    const second = await writes.update(topic, first, changedFields())
    await expect(writes.update(topic, first, changedFields())).rejects.toMatchObject({
      kind: 'conflict',
    })
    await expect(writes.remove(topic, first)).rejects.toMatchObject({ kind: 'conflict' })
    expect((await writes.get(topic, first.raw.id))?.raw).toEqual(second.raw)
  })

  test('is reported as missing once it is deleted', async () => {
    const record = await createRecord()
    await writes.remove(topic, record)
    expect(await writes.get(topic, record.raw.id)).toBe(undefined)
    await expect(writes.update(topic, record, changedFields())).rejects.toMatchObject({
      kind: 'absent',
    })
    await expect(writes.remove(topic, record)).rejects.toMatchObject({ kind: 'absent' })
  })
})
