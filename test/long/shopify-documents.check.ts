/**
 * Every request of the Shopify connector, executed against the introspection of Shopify's Admin API: documents,
 * variables, scopes, and the fields that the mappings read. Needs no shop: the responses are made from the
 * contract.
 */
import { NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import type { AppRequest, Json, Steps, WriteInput } from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { textsAt } from '../../src/definition/raw-values.ts'
import { isObject } from '../../src/definition/value.ts'
import {
  type Contract,
  contractMissing,
  forbiddenIn,
  readContract,
  respond,
} from '../apps/shopify/contract.ts'
import { ATTEMPT, driveSteps } from '../support/steps.ts'

const missing = contractMissing()
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'
const context = { currency: 'EUR', timeZone: 'Europe/Berlin' }
const attempt = { ...ATTEMPT, context }

const id = (type: string) => `gid://shopify/${type}/1`

const address = {
  address1: 'Kai 1',
  address2: 'Hof',
  city: 'Hamburg',
  countryCode: 'DE',
  region: 'HH',
  firstName: 'Ada',
  lastName: 'Kern',
  phone: '+4940123',
  postalCode: '20457',
}

/** The input of writes that set every field. */
const inputs: Readonly<
  Record<string, { readonly create: WriteInput; readonly update: WriteInput }>
> = {
  customers: (() => {
    const fields = { firstName: 'Ada', lastName: 'Kern', email: 'ada@x.example', phone: '+4940123' }
    const remoteFields = { note: 'n', tags: ['a'] }
    return { create: { fields, remoteFields }, update: { fields, remoteFields } }
  })(),
  orders: {
    create: {
      fields: {
        orderNumber: 'A-1',
        currency: 'EUR',
        lineItems: [
          {
            productId: id('Product'),
            variantId: id('ProductVariant'),
            title: 'Lamp',
            price: '12.50',
            currency: 'EUR',
            sku: 'L',
            quantity: 2,
          },
        ],
        billingAddress: address,
        shippingAddress: address,
        customer: { firstName: 'Ada', lastName: 'Kern', email: 'ada@x.example', phone: '+4940123' },
      },
      remoteFields: { note: 'n', financialStatus: 'PAID' },
    },
    update: {
      fields: {
        shippingAddress: { city: 'Kiel' },
        customer: { customerId: id('Customer'), email: 'ada@x.example' },
      },
      remoteFields: { note: 'n' },
    },
  },
  fulfillments: {
    create: {
      fields: {
        orderId: id('Order'),
        carrier: 'DHL',
        trackingNumbers: ['1'],
        trackingUrls: ['https://track.example/1'],
        lineItems: [{ lineItemId: id('LineItem'), quantity: 2 }],
      },
      remoteFields: { notifyCustomer: true },
    },
    update: { fields: { carrier: 'UPS', trackingNumbers: ['2'] }, remoteFields: {} },
  },
  products: {
    create: {
      fields: {
        productName: 'Lamp',
        description: '<p>x</p>',
        productType: 'Lamps',
        vendor: 'Kern',
        productStatus: 'ACTIVE',
        tags: ['a'],
        variants: [
          {
            price: '12.50',
            sku: 'L',
            optionValues: [{ name: 'Size', value: 'L' }],
            weight: { value: 1.5, unit: 'KILOGRAMS' },
          },
        ],
      },
      remoteFields: { handle: 'lamp' },
    },
    update: {
      fields: {
        productName: 'Lamp',
        variants: [
          { remoteId: id('ProductVariant'), price: '13.00' },
          { price: '9.00', sku: 'N', optionValues: [{ name: 'Size', value: 'S' }] },
        ],
      },
      remoteFields: { handle: 'lamp' },
    },
  },
}

/** The unified fields that Shopify does not have (NOTES). */
const absent: Readonly<Record<string, readonly string[]>> = {
  fulfillments: ['service'],
  orders: ['lineItems.unitCost'],
}

/** The paths of a mapped record that have no value: nulls, missing values and empty lists. */
const listUnsetPaths = (value: unknown, path: string): readonly string[] => {
  if (value === null || value === undefined) return [path]
  if (Array.isArray(value))
    return value.length === 0 ? [path] : value.flatMap((entry) => listUnsetPaths(entry, path))
  return isObject(value)
    ? Object.entries(value).flatMap(([name, part]) => listUnsetPaths(part, `${path}.${name}`))
    : []
}

describe.skipIf(missing)(`Shopify's contract${missing ? `: ${missing}` : ''}`, () => {
  let contract: Contract
  const sent: AppRequest[] = []

  beforeAll(() => {
    contract = readContract()
  })

  const send = (request: AppRequest) => {
    sent.push(request)
    return respond(contract, request)
  }
  const run = <T>(steps: Steps<T> | undefined): Promise<T> => {
    if (!steps) throw new Error('the connector has no such steps')
    return driveSteps(steps, send)
  }

  const findResource = (name: string) => {
    const found = connector.resources[`commerce/${name}`]
    if (!found?.write) throw new Error(`no ${name}`)
    return { ...found, write: found.write }
  }

  /** All records of a listing. */
  const list = async (name: string, since: string | undefined) => {
    const { listRequest, readList } = findResource(name)
    const found: unknown[] = []
    for (let cursor: Json | undefined; ; ) {
      const position = { since, cursor, context }
      const { records, next } = readList(await send(listRequest(position)), position)
      found.push(...records)
      if (next === undefined) return found
      cursor = next
    }
  }

  const { oauth } = connector.auth
  const scopes = oauth?.type === 'oauth2' ? oauth.scopes : []

  afterAll(() => {
    const documents = [...new Set(sent.flatMap(({ body }) => textsAt(body, 'query')))]
    for (const document of documents) {
      const rules = [...specifiedRules, NoDeprecatedCustomRule]
      expect(validate(contract.schema, parse(document), rules).map(String), document).toEqual([])
      expect(forbiddenIn(contract, document, scopes), document).toEqual([])
    }
  })

  test('has what a credential is checked by, and its context', async () => {
    await send(connector.check)
    expect(await run(connector.context?.read())).toMatchObject({
      currency: expect.any(String),
      timeZone: expect.any(String),
    })
  })

  test.each(Object.keys(inputs))('has every field that the mapping of %s reads', async (name) => {
    const { mapping, write } = findResource(name)
    const [listed] = await list(name, undefined)
    // A full listing and one of changes show a record in the same form as a request for one record.
    expect(await run(write.get(String(textsAt(listed, 'id')[0])))).toEqual(listed)
    expect((await list(name, '2026-01-01T00:00:00.000Z'))[0]).toEqual(listed)
    const { row, problems } = createMapper(mapping)(listed, CREDENTIAL, { context })
    expect(problems).toEqual([])
    const unset = Object.keys(mapping.resource.fields).flatMap((field) =>
      listUnsetPaths(row[field], field),
    )
    expect(unset).toEqual(absent[name] ?? [])
    expect(row).toMatchObject({
      remoteCreatedAt: expect.any(String),
      remoteUpdatedAt: expect.any(String),
    })
  })

  test.each(Object.keys(inputs))('accepts each write of %s', async (name) => {
    const { write } = findResource(name)
    const input = inputs[name]
    if (!input) throw new Error(`no input for ${name}`)
    const created = await run(write.create?.steps(input.create, attempt))
    const stored = { remoteId: String(textsAt(created, 'id')[0]), record: {}, raw: created }
    await run(write.update?.steps(input.update, stored, attempt))
    await run(write.delete?.steps(stored, attempt))
    const listInputFields = (verb: 'create' | 'update') =>
      (write[verb]?.fields ?? []).map((path) => path.split('.')[0])
    // Otherwise this test would miss a document of a writable field.
    expect(Object.keys(input.create.fields).sort()).toEqual(
      [...new Set(listInputFields('create'))].sort(),
    )
  })

  test('has the subscriptions of webhooks', async () => {
    const target = { address: 'https://hooks.example/x', secret: 's' }
    const subscription = connector.webhooks?.subscription
    const { ids } = await run(subscription?.create(target))
    expect(ids).toHaveLength(11)
    expect(await run(subscription?.list?.())).toHaveLength(1)
    await run(subscription?.delete(String(ids[0])))
  })
})
