/** One channel of the real Vendure: assignments change no update time and are detected all the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { act } from '../apps/vendure/act.ts'
import { createProduct } from '../apps/vendure/shop.ts'
import type { Product } from '../apps/vendure/state.ts'
import { type ChannelAccess, openChannel } from './vendure/channel.ts'
import { type Connection, connectVendure } from './vendure/connection.ts'
import { missing } from './vendure/harness.ts'

describe.skipIf(missing)(`a channel of the real Vendure${missing ? `: ${missing}` : ''}`, () => {
  let shop: Connection
  let channel: ChannelAccess
  let products: readonly Product[]
  beforeAll(async () => {
    shop = await connectVendure(async (vendure) => {
      channel = await openChannel(vendure, 'second')
      return channel
    })
    products = await Promise.all(
      ['Lamp', 'Desk', 'Sofa'].map((name) =>
        createProduct(shop.vendure, { name, variants: [{ sku: name, price: 1000 }] }),
      ),
    )
    await shop.sync()
  }, 120_000)
  afterAll(() => shop?.close())

  const move = (mutation: string, moved: readonly Product[]) => {
    const input = { channelId: channel.channelId, productIds: moved.map(({ id }) => id) }
    return act(shop.vendure, mutation, { input })
  }
  const assign = `mutation ($input: AssignProductsToChannelInput!) {
    assignProductsToChannel(input: $input) { id } }`
  const remove = `mutation ($input: RemoveProductsFromChannelInput!) {
    removeProductsFromChannel(input: $input) { id } }`
  const listNames = async () =>
    (await shop.list('commerce/products')).map(({ productName }) => productName)
  /** One run that detects the changed number, and one that lists everything. */
  const syncTwice = async () => {
    await shop.sync()
    await shop.sync()
  }

  test('lists assigned products and drops removed ones in two runs', async () => {
    expect(await listNames()).toEqual([])
    await shop.passOverlap()
    await move(assign, products)
    await syncTwice()
    expect(await listNames()).toEqual(expect.arrayContaining(['Lamp', 'Desk', 'Sofa']))
    await move(remove, products.slice(0, 1))
    await syncTwice()
    expect((await listNames()).toSorted()).toEqual(['Desk', 'Sofa'])
  })
})
