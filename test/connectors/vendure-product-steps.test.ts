/** The steps of the writes of products, against planned responses. */
import { describe, expect, test } from 'vitest'
import { CONTEXT, readRawRecords } from './vendure/fixtures.ts'
import { ATTEMPT, recordReadByGuard, runSteps, writerOf } from './vendure/steps.ts'

describe('the stock of a variant', () => {
  const [raw] = readRawRecords('products')
  const [small, large] = raw.variants
  const variantKeptIn = (...places: readonly string[]) => {
    const stockLevels = places.map((id) => ({ stockOnHand: 1, stockLocation: { id } }))
    return { ...raw, variants: [{ ...small, stockLevels }, large] }
  }
  const variants = [{ remoteId: small.id, inventory: { totalCount: 5 } }, { remoteId: large.id }]
  const stepsOf = (product: typeof raw) =>
    writerOf('products').update?.steps(
      { fields: { variants }, remoteFields: {} },
      recordReadByGuard(product),
      ATTEMPT,
    )

  test('is set where it is kept', async () => {
    const { calls } = await runSteps(stepsOf(variantKeptIn('7')), [
      { updateProductVariants: [{ id: small.id }] },
      { products: { totalItems: 1, items: [raw] } },
    ])
    expect(calls[0]).toEqual({
      root: 'updateProductVariants',
      variables: {
        input: [{ id: small.id, stockLevels: [{ stockLocationId: '7', stockOnHand: 5 }] }],
      },
    })
  })

  test('in several locations is not guessed', async () => {
    const { result } = await runSteps(stepsOf(variantKeptIn('7', '8')), [])
    expect(result).toMatchObject({
      name: 'WriteRejection',
      field: 'variants[0].inventory.totalCount',
    })
  })
})

describe('a change of a product', () => {
  const [raw] = readRawRecords('products')
  const [small, large] = raw.variants
  const choices = small.options.map(
    ({ name, group }: { readonly name: string; readonly group: { readonly name: string } }) => ({
      name: group.name,
      value: name,
    }),
  )

  test('cannot name another product by its remote fields', async () => {
    const remoteFields = { id: '1' }
    const steps = writerOf('products').update?.steps(
      { fields: {}, remoteFields },
      recordReadByGuard(raw),
      ATTEMPT,
    )
    const { result } = await runSteps(steps, [])
    expect(result).toMatchObject({ name: 'WriteRejection', field: 'remoteFields.id' })
  })

  test('is rejected if a new variant has the options of another', async () => {
    const optionGroups = choices.map(({ name }: { readonly name: string }) => ({
      id: '1',
      name,
      options: [],
    }))
    const fields = {
      productName: 'Half done',
      variants: [
        { remoteId: small.id, price: '77' },
        { remoteId: large.id },
        { price: '1', optionValues: choices },
      ],
    }
    const steps = writerOf('products').update?.steps(
      { fields, remoteFields: {} },
      recordReadByGuard(raw),
      ATTEMPT,
    )
    const { result } = await runSteps(steps, [{ product: { optionGroups } }])
    expect(result).toMatchObject({ name: 'WriteRejection', field: 'variants[2].optionValues' })
  })
})

describe('a half-created product', () => {
  const settings = { ...CONTEXT, defaultLanguageCode: 'de', globalTrackInventory: false }
  const attempt = { ...ATTEMPT, context: settings }

  test('is deleted again, and the first failure is reported', async () => {
    const lost = new Error('no answer in time')
    const variant = { price: '1.5', inventory: { totalCount: 2 } }
    const fields = {
      productName: 'Lampe',
      variants: [{ ...variant, optionValues: [{ name: 'Größe', value: 'S' }] }],
    }
    const { result, calls } = await runSteps(
      writerOf('products').create?.steps(
        { fields, remoteFields: { facetValueIds: ['3'] } },
        attempt,
      ),
      [
        { createProduct: { id: '8' } },
        { createProductOptionGroup: { id: '5', options: [{ id: '6', name: 'S' }] } },
        { addOptionGroupToProduct: { id: '8' } },
        lost,
        { deleteProduct: { result: 'DELETED' } },
      ],
    )
    expect(result).toBe(lost)
    const translationOf = (name: string) => ({ translations: [{ languageCode: 'de', name }] })
    const text = { languageCode: 'de', name: 'Lampe', slug: 'Lampe', description: '' }
    expect(calls).toEqual([
      {
        root: 'createProduct',
        variables: { input: { translations: [text], facetValueIds: ['3'] } },
      },
      {
        root: 'createProductOptionGroup',
        variables: {
          input: {
            code: 'größe',
            ...translationOf('Größe'),
            options: [{ code: 's', ...translationOf('S') }],
          },
        },
      },
      { root: 'addOptionGroupToProduct', variables: { productId: '8', optionGroupId: '5' } },
      {
        root: 'createProductVariants',
        variables: {
          input: [
            {
              productId: '8',
              optionIds: ['6'],
              ...translationOf('Lampe S'),
              sku: '',
              price: 150,
              // The write sends a stock level, so the variant must be tracked, although the shop tracks no stock
              // by default.
              trackInventory: 'TRUE',
              stockOnHand: 2,
            },
          ],
        },
      },
      { root: 'deleteProduct', variables: { id: '8' } },
    ])
  })
})
