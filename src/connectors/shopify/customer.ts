import type { Pager } from '../../definition/connector.ts'
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { writtenTo } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { textsAt, valuesOf } from '../../definition/raw-values.ts'
import { shiftInstant } from '../../definition/time.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { collectionPages } from './collection-pages.ts'
import { mutate } from './graphql.ts'
import { type Collection, comparedSync, matching } from './listing.ts'
import { wholeRecord } from './whole-records.ts'

const collection: Collection = {
  type: 'Customer',
  list: 'customers',
  first: 250,
  fields: `id createdAt updatedAt firstName lastName locale note tags taxExempt state
    defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber }`,
}

/** The mapping of customers. Without approval for protected data, Shopify rejects the query (NOTES "access"). */
export const mapping = defineMapping(customer, {
  remoteId: 'id',
  firstName: 'firstName',
  lastName: 'lastName',
  email: writtenTo('email', 'defaultEmailAddress.emailAddress'),
  phone: writtenTo('phone', 'defaultPhoneNumber.phoneNumber'),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "deletions"
})

const DAY_MS = 24 * 3_600_000
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length

/**
 * The customers that have changed since a time. The filter compares days, so the latest changes are listed first, until
 * one is older (NOTES "days of customers").
 */
const changed = (since: string): Pager => {
  // The day in the time zone of the shop may be the one before.
  const day = shiftInstant(since, -DAY_MS).slice(0, 'YYYY-MM-DD'.length)
  const pages = matching(collection, `updated_at:>='${day}'`, {
    sortKey: 'UPDATED_AT',
    reverse: true,
  })
  const isChanged = (record: unknown): boolean =>
    String(valuesOf(record).updatedAt).slice(0, SECONDS) >= since.slice(0, SECONDS)
  return {
    listRequest: pages.listRequest,
    readList: (response, position) => {
      const page = pages.readList(response, position)
      const records = page.records.filter(isChanged)
      return {
        ...page,
        records,
        next: records.length < page.records.length ? undefined : page.next,
      }
    },
  }
}

/** Customers, also those without an account. */
export const customers = writableResource(mapping, {
  app: 'Shopify',
  pages: collectionPages(collection, changed),
  sync: comparedSync,
  remoteFields: { reserved: ['id'] },
  get: wholeRecord(collection),
  *create(input) {
    const signature = 'customerCreate(input: CustomerInput!)'
    return textsAt(yield* mutate(signature, { input }, 'customer { id }'), 'customer.id')[0]
  },
  *update(body, { remoteId: id }) {
    yield* mutate('customerUpdate(input: CustomerInput!)', { input: { ...body, id } })
  },
  *delete({ remoteId: id }) {
    const signature = 'customerDelete(input: CustomerDeleteInput!)'
    yield* mutate(signature, { input: { id } })
  },
  // Shopify changes the form of telephone numbers.
  normalize: ({ fields: { phone: _, ...fields }, remoteFields }) => ({ fields, remoteFields }),
})
