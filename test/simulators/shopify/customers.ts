/** Customers and addresses. */
import { sum } from '../engine/decimal.ts'
import { connectPart, type PageArguments } from './connections.ts'
import { type Context, mutation, type Resolvers } from './context.ts'
import { refuse, refuseAny, type UserError, userError } from './errors.ts'
import { connectListing, type ListArguments, orderListing, ordersByCustomer } from './listings.ts'
import { writeMoneyV2 } from './money.ts'
import { totalsOf } from './order-totals.ts'
import type { Address, Customer, Entry, Order } from './records.ts'
import type { Shop } from './shop.ts'

export type AddressInput = Readonly<Record<string, string | null>>

export interface CustomerInput {
  readonly id?: string | null
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly note?: string | null
  readonly locale?: string | null
  readonly tags?: readonly string[] | null
  readonly taxExempt?: boolean | null
  readonly addresses?: readonly AddressInput[] | null
}

/** Tags are unique without regard to case, and sorted. */
export const readTags = (tags: readonly string[] | null | undefined): readonly string[] => {
  const trimmed = (tags ?? []).flatMap((tag) => tag.split(',')).map((tag) => tag.trim())
  const unique = new Map(trimmed.filter(Boolean).map((tag) => [tag.toLowerCase(), tag]))
  return [...unique.values()].sort((a, b) => a.localeCompare(b))
}

const ADDRESS_FIELDS = [
  'address1',
  'address2',
  'city',
  'company',
  'countryCode',
  'firstName',
  'lastName',
  'phone',
  'provinceCode',
  'zip',
]

export const readAddress = (input: AddressInput, shop: Shop): Address => ({
  ...Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, input[field] ?? null])),
  id: shop.nextId('MailingAddress'),
})

const regions = new Intl.DisplayNames('en', { type: 'region' })

const joinPresent = (
  parts: readonly (string | null | undefined)[],
  separator: string,
): string | null => parts.filter(Boolean).join(separator) || null

const EMAIL = /^[^\s@]{1,100}@[^\s@.]{1,100}(\.[^\s@.]{1,100}){1,10}$/
// The vendor stores phone numbers in the form of E.164.
const PHONE = /^\+[1-9]\d{6,14}$/

const isTaken = (shop: Shop, field: 'email' | 'phone', value: string, id: string | undefined) =>
  shop.Customer.list().some((other) => other.id !== id && other.value[field] === value)

const checkContact = (
  shop: Shop,
  { email, phone }: CustomerInput,
  id: string | undefined,
): readonly (UserError | undefined)[] => [
  email && !EMAIL.test(email) ? userError('email', 'Email is invalid') : undefined,
  email && isTaken(shop, 'email', email, id)
    ? userError('email', 'Email has already been taken')
    : undefined,
  phone && !PHONE.test(phone) ? userError('phone', 'Phone is invalid') : undefined,
  phone && isTaken(shop, 'phone', phone, id)
    ? userError('phone', 'Phone has already been taken')
    : undefined,
]

const NEW_CUSTOMER: Customer = {
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  note: null,
  locale: 'en',
  tags: [],
  taxExempt: false,
  addresses: [],
}

/** The fields that an input sets. Null clears a field. */
const readFields = (input: CustomerInput, shop: Shop): Partial<Customer> => {
  const { firstName, lastName, email, phone, note, locale, tags, taxExempt, addresses } = input
  return {
    ...(firstName !== undefined && { firstName: firstName || null }),
    ...(lastName !== undefined && { lastName: lastName || null }),
    ...(email !== undefined && { email: email?.toLowerCase() || null }),
    ...(phone !== undefined && { phone: phone || null }),
    ...(note !== undefined && { note: note || null }),
    ...(locale !== undefined && { locale: locale ?? 'en' }),
    ...(tags !== undefined && { tags: readTags(tags) }),
    ...(taxExempt !== undefined && { taxExempt: taxExempt ?? false }),
    ...(addresses !== undefined && {
      addresses: (addresses ?? []).map((address) => readAddress(address, shop)),
    }),
  }
}

const write = (input: CustomerInput, shop: Shop, before: Entry<Customer> | undefined) => {
  const fields = readFields(input, shop)
  const after = { ...(before?.value ?? NEW_CUSTOMER), ...fields }
  const { firstName, lastName, email, phone } = after
  const isNameless = !firstName && !lastName && !email && !phone
  refuseAny([
    ...checkContact(shop, fields, before?.id),
    isNameless
      ? userError(null, 'A name, phone number, or email address must be present')
      : undefined,
  ])
  return before
    ? shop.Customer.change(before.id, fields)
    : shop.Customer.insert(shop.nextId('Customer'), after)
}

/** @throws UserErrors */
export const createCustomer = (input: CustomerInput, shop: Shop): Entry<Customer> => {
  if (input.id) refuse('id', 'Cannot specify ID on creation')
  return write(input, shop, undefined)
}

/** @throws UserErrors */
export const updateCustomer = (input: CustomerInput, shop: Shop): Entry<Customer> => {
  const before = shop.Customer.find(input.id ?? '')
  return before ? write(input, shop, before) : refuse('id', 'Customer does not exist')
}

export const ordersOf = (id: string, shop: Shop): readonly Entry<Order>[] =>
  ordersByCustomer(shop).get(id) ?? []

/** @throws UserErrors */
export const deleteCustomer = (id: string, shop: Shop): string => {
  if (!shop.Customer.find(id)) refuse('id', "Customer can't be found")
  if (ordersOf(id, shop).length > 0)
    refuse('id', 'Customer can’t be deleted because they have associated orders')
  shop.Customer.remove(id)
  shop.noteEvent('destroy', 'CUSTOMER', id)
  return id
}

type Source = Entry<Customer>

export const customerResolvers: Resolvers = {
  Customer: {
    addresses: ({ value }: Source, { first }: { readonly first?: number }) =>
      value.addresses.slice(0, first ?? value.addresses.length),
    addressesV2: ({ id, value }: Source, args: PageArguments, context) =>
      connectPart(value.addresses, args, context, `addresses of ${id}`),
    amountSpent: ({ id }: Source, _, { shop }) => {
      const received = ordersOf(id, shop).map(({ value }) => totalsOf(value).received.shop)
      return writeMoneyV2(sum(received), shop.settings.currencyCode)
    },
    canDelete: ({ id }: Source, _, { shop }) => ordersOf(id, shop).length === 0,
    defaultAddress: ({ value }: Source) => value.addresses[0],
    defaultEmailAddress: ({ value: { email } }: Source) =>
      email && { emailAddress: email, marketingState: 'NOT_SUBSCRIBED', validFormat: true },
    defaultPhoneNumber: ({ value: { phone } }: Source) =>
      phone && { phoneNumber: phone, marketingState: 'NOT_SUBSCRIBED' },
    displayName: ({ value: { firstName, lastName, email, phone } }: Source) =>
      joinPresent([firstName, lastName], ' ') ?? email ?? phone,
    numberOfOrders: ({ id }: Source, _, { shop }) => String(ordersOf(id, shop).length),
    orders: ({ id }: Source, args: ListArguments, context) =>
      connectListing(orderListing, args, context, ({ value }) => value.customerId === id),
    state: () => 'DISABLED',
    verifiedEmail: ({ value }: Source) => value.email !== null,
  },
  MailingAddress: {
    coordinatesValidated: () => false,
    country: ({ countryCode }: Address) => countryCode && regions.of(countryCode),
    countryCodeV2: ({ countryCode }: Address) => countryCode,
    formatted: ({ address1, address2, city, provinceCode, zip, countryCode }: Address) =>
      [
        address1,
        address2,
        joinPresent([city, provinceCode, zip], ' '),
        countryCode && regions.of(countryCode),
      ].filter(Boolean),
    formattedArea: ({ city, provinceCode, countryCode }: Address) =>
      joinPresent([city, provinceCode, countryCode && regions.of(countryCode)], ', '),
    name: ({ firstName, lastName }: Address) => joinPresent([firstName, lastName], ' '),
    province: ({ provinceCode }: Address) => provinceCode,
  },
  Mutation: {
    customerCreate: mutation(({ input }: { readonly input: CustomerInput }, { shop }: Context) => ({
      customer: createCustomer(input, shop),
    })),
    customerUpdate: mutation(({ input }: { readonly input: CustomerInput }, { shop }: Context) => ({
      customer: updateCustomer(input, shop),
    })),
    customerDelete: mutation(
      ({ input }: { readonly input: { readonly id: string } }, { shop }: Context) => ({
        deletedCustomerId: deleteCustomer(input.id, shop),
      }),
    ),
  },
}
