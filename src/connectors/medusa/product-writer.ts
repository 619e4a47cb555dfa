import { type Json, missingValue, WriteRejection } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import { type WrittenEntry, writtenEntries } from '../../definition/mapping/changed-fields.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { entriesOf, valuesOf, withSortedLists } from '../../definition/raw-values.ts'
import { mapping, priceIn, pricesOf, productsById } from './product.ts'
import { shop } from './shop.ts'

const PATH = '/admin/products'

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

/** The options of some variants: each name with all values that they have. */
const optionsOf = (
  variants: readonly WrittenEntry[],
): readonly { readonly title: string; readonly values: readonly string[] }[] => {
  const chosen = variants.flatMap(({ entry }) => Object.entries(valuesOf(entry.options)))
  return [...Map.groupBy(chosen, ([title]) => title)].map(([title, values]) => ({
    title,
    values: [...new Set(values.map(([, value]) => String(value)))],
  }))
}

/**
 * The values that variants have and the options of the product lack (NOTES "options have fixed values").
 * @throws WriteRejection if the product has no such option
 */
const missingValues = (raw: unknown, variants: readonly WrittenEntry[]): readonly Json[] => {
  const existing = entriesOf(valuesOf(raw).options)
  return optionsOf(variants).flatMap(({ title, values }) => {
    const option = existing.find((one) => one.title === title)
    if (!option) throw new WriteRejection(`The product has no option ${title}.`, 'variants')
    const known = entriesOf(option.values).map(({ value }) => value)
    const add = values.filter((value) => !known.includes(value)).map((value) => ({ value }))
    return add.length === 0 ? [] : [{ product_option_id: String(option.id), add }]
  })
}

/** The prices of a variant with another one in the currency of the shop; Medusa deletes those that an update omits. */
const pricesWith = (amount: Json, stored: JsonObject = {}, currency: string): readonly Json[] => {
  const prices = pricesOf(stored.prices)
  const present = priceIn(prices, currency)
  const others = prices
    .filter((price) => price !== present && !price.price_list_id)
    .map(({ id, currency_code, amount: unchanged, rules = {} }) => ({
      id,
      currency_code,
      amount: unchanged,
      ...(Object.keys(rules).length > 0 && { rules }),
    }))
  return [...others, { ...(present && { id: present.id }), currency_code: currency, amount }]
}

/** The body of a changed variant. */
const changedVariant = ({ entry, path, stored }: WrittenEntry, currency: string): JsonObject => {
  const { amount, ...variant } = entry
  if (variant.title === null) throw missingValue('Medusa requires a title.', `${path}.title`)
  return amount === undefined
    ? variant
    : { ...variant, prices: pricesWith(amount, stored, currency) }
}

/** The body of a new variant. */
const newVariant = (written: WrittenEntry, currency: string): JsonObject => {
  const { entry, path } = written
  if (entry.amount === undefined) throw missingValue('Medusa requires a price.', `${path}.price`)
  const { options = {} } = entry
  const title = entry.title ?? (Object.values(valuesOf(options)).join(' / ') || 'Default')
  return changedVariant({ ...written, entry: { ...entry, title, options } }, currency)
}

/** The writer of products and their variants. */
export const productWriter = bodyWriter(mapping, {
  app: 'Medusa',
  readMany: productsById,
  *create({ variants: written, ...body }, { context }) {
    const { added } = writtenEntries(written, [], 'variants')
    const { currency } = shop.of(context)
    const options = optionsOf(added)
    const variants = added.map((variant) => newVariant(variant, currency))
    const { body: created } = yield {
      method: 'POST',
      path: PATH,
      body: { ...(options.length > 0 && { options }), variants, ...body },
    }
    return valuesOf(valuesOf(created).product).id
  },
  *update({ variants, ...body }, { remoteId: id, raw }, { context }) {
    const { added, changed } = writtenEntries(variants, valuesOf(raw).variants, 'variants')
    const { currency } = shop.of(context)
    // Validate everything before the first change.
    const create = added.map((variant) => newVariant(variant, currency))
    const update = changed.map((variant) => changedVariant(variant, currency))
    const options = missingValues(raw, [...added, ...changed])
    if (Object.keys(body).length > 0) yield { method: 'POST', path: pathOf(id), body }
    if (options.length > 0)
      yield { method: 'POST', path: `${pathOf(id)}/options/batch`, body: { update: options } }
    if (create.length > 0 || update.length > 0)
      yield { method: 'POST', path: `${pathOf(id)}/variants/batch`, body: { create, update } }
  },
  *delete({ remoteId }) {
    yield { method: 'DELETE', path: pathOf(remoteId) }
  },
  normalize: ({ fields, remoteFields }) => ({
    fields: withSortedLists(fields, { 'variants.optionValues': ['name'] }),
    remoteFields,
  }),
})
