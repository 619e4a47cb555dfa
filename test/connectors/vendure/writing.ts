/** Writes of the connector to the real Vendure. */
import { expect } from 'vitest'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import { type Shop, shop } from '../../../src/connectors/vendure/shop.ts'
import type { Json, ResourceWriter, StoredRecord } from '../../../src/definition/connector.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { placeOrder } from '../../apps/vendure/checkout.ts'
import { createProduct } from '../../apps/vendure/shop.ts'
import { startVendure, type Vendure } from '../../apps/vendure/start.ts'
import { type Order, type Product, readOrder } from '../../apps/vendure/state.ts'
import { ATTEMPT, createStepRunner, type StepRunner } from '../../support/steps.ts'
import { createKey, WRITING } from './key.ts'

export type Fields = { readonly [name: string]: Json }
type Shown = Readonly<Record<string, unknown>> & { readonly remoteId: string }

/** The definition of `commerce/{name}`, which can be written. */
export const topicOf = (name: string) => {
  const found = connector.resources[`commerce/${name}`]
  if (!found?.write) throw new Error(`the connector does not write ${name}`)
  return { ...found, write: found.write }
}

export type WritingShop = ReturnType<typeof createWritingShop>

/**
 * Declares a shop with a lamp of two variants, and the connector that writes to it. Both exist once `start` has
 * run.
 */
export const createWritingShop = () => {
  let vendure: Vendure
  let driver: StepRunner
  let lamp: Product
  let context: Shop
  const attempt = () => ({ ...ATTEMPT, context })

  /** A raw record as the API would show it. */
  const showRecord = (name: string, raw: unknown): Shown => {
    const { row, problems } = createMapper(topicOf(name).mapping)(raw, 'credential', { context })
    expect(problems).toEqual([])
    return row
  }
  const storedAs = (name: string, raw: unknown): StoredRecord => {
    const record = showRecord(name, raw)
    return { remoteId: record.remoteId, record, raw }
  }
  const write = async (
    name: string,
    perform: (writer: ResourceWriter) => ReturnType<ResourceWriter['get']> | undefined,
  ): Promise<Shown> => {
    const steps = perform(topicOf(name).write)
    if (!steps) throw new Error(`the connector has no such operation for ${name}`)
    return showRecord(name, await driver.run(steps))
  }
  const create = (name: string, fields: Fields, remoteFields: Fields = {}) =>
    write(name, ({ create }) => create?.steps({ fields, remoteFields }, attempt()))
  const get = (name: string, remoteId: string, stored?: StoredRecord) =>
    driver.run(topicOf(name).write.get(remoteId, stored, context))
  const update = async (
    name: string,
    remoteId: string,
    fields: Fields,
    remoteFields: Fields = {},
  ): Promise<Shown> => {
    const stored = storedAs(name, await get(name, remoteId))
    return write(name, (writer) =>
      writer.update?.steps({ fields, remoteFields }, stored, attempt()),
    )
  }
  const remove = async (name: string, remoteId: string): Promise<void> => {
    const steps = topicOf(name).write.delete?.steps(
      storedAs(name, await get(name, remoteId)),
      attempt(),
    )
    if (!steps) throw new Error(`the connector does not delete ${name}`)
    await driver.run(steps)
  }
  /** The record as a listing returns it. */
  const listRecord = async (name: string, remoteId: string): Promise<unknown> => {
    const { listRequest, readList } = topicOf(name)
    const position = { since: undefined, cursor: undefined, context }
    const steps = (function* () {
      return readList(yield listRequest(position), position).records
    })()
    const records = (await driver.run(steps)) as readonly { readonly id: string }[]
    return records.find(({ id }) => id === remoteId)
  }
  const refusal = (writing: Promise<unknown>) =>
    writing.then(
      () => undefined,
      (error) => error,
    )

  const buy = (payment: 'prepaid' | 'invoice' = 'prepaid'): Promise<Order> =>
    placeOrder(vendure, {
      customer: { firstName: 'Sofja', lastName: 'K', emailAddress: 'sofja@example.org' },
      lines: lamp.variants.map(({ id }, index) => ({ variantId: id, quantity: index + 2 })),
      payment,
    })
  const now = async ({ id }: { readonly id: string }): Promise<Order> => {
    const order = await readOrder(vendure, id)
    if (!order) throw new Error(`order ${id} is gone`)
    return order
  }
  /** The history of an order in Vendure. */
  const historyOf = async (id: string): Promise<unknown> => {
    const { order } = await vendure.admin<{ order: unknown }>(
      'query ($id: ID!) { order(id: $id) { history { items { id type } } modifications { id } } }',
      { id },
    )
    return order
  }
  const linesOf = (...quantities: readonly number[]) =>
    quantities.map((quantity, index) => ({
      variantId: lamp.variants[index]?.id ?? '',
      quantity,
    }))

  return {
    get vendure() {
      return vendure
    },
    get driver() {
      return driver
    },
    get lamp() {
      return lamp
    },
    async start(): Promise<void> {
      vendure = await startVendure()
      const { apiKey } = await createKey(vendure, WRITING)
      driver = createStepRunner(connector, { url: vendure.url, apiKey })
      context = shop.of(await driver.run(shop.read()))
      lamp = await createProduct(vendure, {
        name: 'Lamp',
        description: 'Bright.',
        variants: [
          { sku: 'LAMP-S', price: 1000, stockOnHand: 1000, options: { Size: 'S' } },
          { sku: 'LAMP-L', price: 1999, stockOnHand: 1000, options: { Size: 'L' } },
        ],
      })
    },
    async stop(): Promise<void> {
      await driver?.stop()
      await vendure?.stop()
    },
    showRecord,
    storedAs,
    create,
    get,
    update,
    remove,
    listRecord,
    refusal,
    attempt,
    buy,
    now,
    historyOf,
    linesOf,
  }
}
