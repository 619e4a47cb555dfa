import {
  type Json,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRejection,
} from '../../definition/connector.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { buildBody, writableFields } from '../../definition/mapping/write.ts'
import { getBy, readOne } from '../../definition/paging/compose.ts'
import { entriesOf, valuesOf, withSortedLists } from '../../definition/raw-values.ts'
import { mapping, productsById, type RawProduct } from './product.ts'
import { shop } from './shop.ts'
import { changedVariant, type InputVariant, newVariant, optionsOf, variantsOf } from './variants.ts'

const app = 'Medusa'
const PATH = '/admin/products'

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

/** The body of a product without its variants. */
function* productBody(
  { fields: { variants: _, ...fields }, remoteFields }: WriteInput,
  verb: 'create' | 'update',
): Steps<JsonObject> {
  return yield* buildBody(mapping, { fields, remoteFields }, { app, verb })
}

/** The options of a new product: each name with all values that its variants have. */
const optionsFor = (
  variants: readonly InputVariant[],
): readonly { readonly title: string; readonly values: readonly string[] }[] => {
  const values = new Map<string, Set<string>>()
  for (const variant of variants)
    for (const [title, value] of Object.entries(optionsOf(variant)))
      values.set(title, (values.get(title) ?? new Set()).add(value))
  return [...values].map(([title, all]) => ({ title, values: [...all] }))
}

/**
 * The values that variants have and the options of the product lack (NOTES "options have fixed values").
 * @throws WriteRejection if the product has no such option
 */
const missingValues = (raw: RawProduct, variants: readonly InputVariant[]): readonly Json[] => {
  const existing = entriesOf(valuesOf(raw).options)
  return optionsFor(variants).flatMap(({ title, values }) => {
    const option = existing.find((one) => one.title === title)
    if (!option) throw new WriteRejection(`The product has no option ${title}.`, 'variants')
    const known = entriesOf(option.values).map(({ value }) => value)
    const add = values.filter((value) => !known.includes(value)).map((value) => ({ value }))
    return add.length === 0 ? [] : [{ product_option_id: String(option.id), add }]
  })
}

/** The new and the changed variants of an update. @throws WriteRejection if one is missing or unknown */
const divide = (inputs: readonly InputVariant[], { variants = [] }: RawProduct) => {
  const remaining = new Map(variants.map((variant) => [variant.id, variant]))
  const added = inputs.filter(({ id }) => id === undefined)
  const changed = inputs.flatMap((input) => {
    if (input.id === undefined) return []
    const raw = remaining.get(input.id)
    if (!raw)
      throw new WriteRejection(
        'the product has no such variant, or the list has it twice',
        `${input.at}.remoteId`,
      )
    remaining.delete(input.id)
    return [{ input, raw }]
  })
  const [missing] = remaining.values()
  if (missing)
    throw new WriteRejection(
      `the variant ${missing.title} (${missing.id}) is missing; an update cannot delete variants`,
      'variants',
    )
  return { added, changed }
}

/** The writer of products and their variants. */
export const productWriter: ResourceWriter = {
  get: getBy(productsById),
  create: {
    fields: writableFields(mapping, 'create'),
    *steps(input, { context }) {
      const inputs = variantsOf(input.fields.variants) ?? []
      const { currency } = shop.of(context)
      const body = yield* productBody(input, 'create')
      const options = optionsFor(inputs)
      const variants = inputs.map((variant) => newVariant(variant, currency))
      const { body: created } = yield {
        method: 'POST',
        path: PATH,
        body: { ...(options.length > 0 && { options }), variants, ...body },
      }
      const { id } = valuesOf(valuesOf(created).product)
      return yield* readOne(productsById, String(id), context)
    },
  },
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, { remoteId: id, raw: current }, { context }) {
      const body = yield* productBody(input, 'update')
      const inputs = variantsOf(input.fields.variants)
      // Safe: the guard has read it.
      const raw = current as RawProduct
      const { currency } = shop.of(context)
      // Validate everything before the first change.
      const { added, changed } = inputs ? divide(inputs, raw) : { added: [], changed: [] }
      const create = added.map((variant) => newVariant(variant, currency))
      const update = changed
        .map((entry) => changedVariant(entry.input, entry.raw, currency))
        .filter((change) => Object.keys(change).length > 1)
      const options = missingValues(raw, inputs ?? [])
      if (Object.keys(body).length > 0) yield { method: 'POST', path: pathOf(id), body }
      if (options.length > 0)
        yield { method: 'POST', path: `${pathOf(id)}/options/batch`, body: { update: options } }
      if (create.length > 0 || update.length > 0)
        yield { method: 'POST', path: `${pathOf(id)}/variants/batch`, body: { create, update } }
      return yield* readOne(productsById, id, context)
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId }) {
      yield { method: 'DELETE', path: pathOf(remoteId) }
    },
  },
  normalize: ({ fields, remoteFields }) => ({
    fields: withSortedLists(fields, { 'variants.optionValues': ['name'] }),
    remoteFields,
  }),
}
