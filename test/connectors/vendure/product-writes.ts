/** Writes of products. */
import { describe, expect, test } from 'vitest'
import { readProduct } from '../../apps/vendure/state.ts'
import type { Fields, WritingShop } from './writing.ts'

export const productWrites = (shop: WritingShop): unknown =>
  describe('a product', () => {
    const { showRecord: shown, create, get, update, remove, refusal } = shop
    const listOptionValues = (size: string) => [
      { name: 'Size', value: size },
      { name: 'Colour', value: '赤' },
    ]
    // Vendure does not keep the order of option values.
    const optionValuesInAnyOrder = (size: string) => expect.arrayContaining(listOptionValues(size))
    const variant = (size: string, price: string) => ({
      title: `Chair ${size}`,
      price,
      sku: `CHAIR-${size}`,
      inventory: { totalCount: 7 },
      optionValues: listOptionValues(size),
    })

    test('is created with its variants, changed and deleted', async () => {
      const createdRecord = await create('products', {
        productName: 'Chair',
        description: '<p>To sit.</p>',
        productStatus: 'disabled',
        variants: [variant('S', '10'), variant('L', '19.990')],
      })
      expect(createdRecord).toMatchObject({
        productName: 'Chair',
        description: '<p>To sit.</p>',
        productStatus: 'disabled',
        variants: [
          { ...variant('S', '10.00'), weight: null, optionValues: optionValuesInAnyOrder('S') },
          { ...variant('L', '19.99'), weight: null, optionValues: optionValuesInAnyOrder('L') },
        ],
      })
      const own = await readProduct(shop.vendure, createdRecord.remoteId)
      expect(own).toMatchObject({ name: 'Chair', slug: 'chair', enabled: false })
      expect(own?.variants.map(({ sku, price }) => [sku, price])).toEqual([
        ['CHAIR-S', 1000],
        ['CHAIR-L', 1999],
      ])

      const [small, large] = own?.variants ?? []
      if (!small || !large) throw new Error('the product has no variants')
      const changed = await update('products', createdRecord.remoteId, {
        productName: 'Stool',
        description: null,
        productStatus: 'enabled',
        variants: [
          { remoteId: small.id, price: '12.5', sku: 'STOOL-S', inventory: { totalCount: 3 } },
          { remoteId: large.id, title: 'Stool L', inventory: null },
          { ...variant('XL', '0.05'), title: null },
        ],
      })
      expect(changed).toMatchObject({ productName: 'Stool', productStatus: 'enabled' })
      const now = await readProduct(shop.vendure, createdRecord.remoteId)
      expect(now).toMatchObject({ name: 'Stool', slug: 'chair', description: '', enabled: true })
      expect(
        now?.variants.map(({ name, sku, price, stockLevels, options }) => [
          name,
          sku,
          price,
          stockLevels[0]?.stockOnHand,
          options.map((option) => option.name).toSorted(),
        ]),
      ).toEqual([
        ['Chair S', 'STOOL-S', 1250, 3, ['S', '赤']],
        ['Stool L', 'CHAIR-L', 1999, 7, ['L', '赤']],
        ['Stool XL 赤', 'CHAIR-XL', 5, 7, ['XL', '赤']],
      ])
      const variants = changed.variants as readonly { readonly inventory: unknown }[]
      expect(variants.map(({ inventory }) => inventory)).toEqual([
        { totalCount: 3 },
        null,
        { totalCount: 7 },
      ])

      await remove('products', createdRecord.remoteId)
      expect(await readProduct(shop.vendure, createdRecord.remoteId)).toBeNull()
      expect(await get('products', createdRecord.remoteId)).toBeUndefined()
    })

    test('may have no variants and a name without Latin letters', async () => {
      const createdRecord = await create('products', { productName: '東京' }, { slug: 'tokyo' })
      expect(createdRecord).toMatchObject({
        productName: '東京',
        productStatus: 'enabled',
        variants: [],
      })
      expect(await readProduct(shop.vendure, createdRecord.remoteId)).toMatchObject({
        slug: 'tokyo',
      })
      const nameless = await create('products', { productName: '東京' })
      expect((await readProduct(shop.vendure, nameless.remoteId))?.slug).toBeTruthy()
    })

    test('accepts tags by the names of Vendure’s facet values', async () => {
      const text = (name: string) => ({
        code: name,
        translations: [{ languageCode: 'en', name }],
      })
      const { createFacet } = await shop.vendure.admin<{
        createFacet: { values: { id: string }[] }
      }>('mutation ($input: CreateFacetInput!) { createFacet(input: $input) { values { id } } }', {
        input: { ...text('style'), isPrivate: false, values: [text('modern')] },
      })
      const facetValueIds = createFacet.values.map(({ id }) => id)
      const createdRecord = await create('products', { productName: 'Vase' }, { facetValueIds })
      expect(createdRecord.tags).toEqual(['modern'])
      const bare = await update('products', createdRecord.remoteId, {}, { facetValueIds: [] })
      expect(bare.tags).toEqual([])
      const both = { translations: [], slug: 'v' }
      expect(
        await refusal(update('products', createdRecord.remoteId, { productName: 'V' }, both)),
      ).toMatchObject({ name: 'WriteRejection', field: 'remoteFields.translations' })
    })

    test('whose variants Vendure rejects is removed from the shop', async () => {
      const large = { ...variant('S', '1'), inventory: { totalCount: 3_000_000_000 } }
      const many = { productName: 'Too many', variants: [large] }
      expect(await refusal(create('products', many))).toMatchObject({
        code: 'APP_REFUSED',
        kind: 'refused',
        reason: expect.stringContaining('Int cannot represent'),
      })
      const { products } = await shop.vendure.admin<{ products: { items: { name: string }[] } }>(
        '{ products { items { name } } }',
      )
      expect(products.items.map(({ name }) => name)).not.toContain('Too many')
    })

    test('accepts its unchanged variants without changing any of them', async () => {
      const before = await readProduct(shop.vendure, shop.lamp.id)
      const raw = await get('products', shop.lamp.id)
      const variants = (shown('products', raw).variants as readonly Fields[]).map(
        ({ id, weight, ...rest }) => rest,
      )
      await update('products', shop.lamp.id, { variants })
      expect(await readProduct(shop.vendure, shop.lamp.id)).toEqual(before)
    })

    test.each<[string, string, (ids: readonly string[]) => Fields]>([
      ['a missing variant', 'variants', ([small = '']) => ({ variants: [{ remoteId: small }] })],
      [
        'other options of a variant',
        'variants[1].optionValues',
        ([small = '', large = '']) => ({
          variants: [
            { remoteId: small },
            { remoteId: large, optionValues: [{ name: 'Size', value: 'M' }] },
          ],
        }),
      ],
      [
        'a new variant without options',
        'variants[2].optionValues',
        ([small = '', large = '']) => ({
          variants: [{ remoteId: small }, { remoteId: large }, { price: '1' }],
        }),
      ],
      [
        'a new variant with the options of another',
        'variants[2].optionValues',
        ([small = '', large = '']) => ({
          productName: 'Half done',
          variants: [
            { remoteId: small, price: '77' },
            { remoteId: large },
            { price: '1', optionValues: [{ name: 'Size', value: 'S' }] },
          ],
        }),
      ],
      [
        'a new variant without a price',
        'variants[2].price',
        ([small = '', large = '']) => ({
          variants: [
            { remoteId: small },
            { remoteId: large },
            { optionValues: [{ name: 'Size', value: 'M' }] },
          ],
        }),
      ],
      [
        'an amount that is too precise',
        'variants[0].price',
        ([small = '', large = '']) => ({
          variants: [{ remoteId: small, price: '1.005' }, { remoteId: large }],
        }),
      ],
      ['an unknown status', 'productStatus', () => ({ productStatus: 'active' })],
      ['no name', 'productName', () => ({ productName: null })],
    ])('rejects %s', async (_name, field, fieldsOf) => {
      const before = await readProduct(shop.vendure, shop.lamp.id)
      const fields = fieldsOf(shop.lamp.variants.map(({ id }) => id))
      expect(await refusal(update('products', shop.lamp.id, fields))).toMatchObject({
        name: 'WriteRejection',
        field,
      })
      expect(await readProduct(shop.vendure, shop.lamp.id)).toEqual(before)
    })
  })
