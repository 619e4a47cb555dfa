import { type Json, WriteRejection } from '../../definition/connector.ts'
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { type WrittenEntry, writtenEntries } from '../../definition/mapping/changed-fields.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { entriesOf, valuesOf, withSortedLists } from '../../definition/raw-values.ts'
import { sync } from './listing.ts'
import { mapping, pages, productsById } from './product.ts'

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

/** The body of a new variant. */
const newVariant = ({ entry }: WrittenEntry): JsonObject => {
  const { options = {} } = entry
  return { title: Object.values(valuesOf(options)).join(' / ') || 'Default', options, ...entry }
}

/** Products and their variants. */
export const products = writableResource(mapping, {
  app: 'Medusa',
  pages,
  readMany: productsById,
  sync,
  *create({ variants: written, ...body }) {
    const { added } = writtenEntries(written, [], 'variants')
    const options = optionsOf(added)
    const variants = added.map(newVariant)
    const { body: created } = yield {
      method: 'POST',
      path: PATH,
      body: { ...(options.length > 0 && { options }), variants, ...body },
    }
    return valuesOf(valuesOf(created).product).id
  },
  *update({ variants, ...body }, { remoteId: id, raw }) {
    const { added, changed } = writtenEntries(variants, valuesOf(raw).variants, 'variants')
    const create = added.map(newVariant)
    const update = changed.map(({ entry }) => entry)
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
