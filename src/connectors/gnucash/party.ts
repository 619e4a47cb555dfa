/** Customers and vendors. */
import {
  RecordNotFoundError,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
  WriteRejection,
} from '../../definition/connector.ts'
import { blankAsNull, createOnly, orElse, required } from '../../definition/mapping/converters.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { buildBody, writableFields } from '../../definition/mapping/write.ts'
import { defineMapping, type Mapping } from '../../definition/mapping.ts'
import { isObject } from '../../definition/value.ts'
import { customer } from '../../resources/accounting/customer.ts'
import { vendor } from '../../resources/accounting/vendor.ts'
import { collection } from './listing.ts'

const app = 'GnuCash'

type Party = {
  readonly guid: string
  readonly id: string
  readonly address: JsonObject
}

/** The first two address lines; the others have no meaning of their own (NOTES "an address is four lines"). */
const addresses = listByType('addressType', {
  BILLING: {
    street1: orElse('address.line_1', ''),
    street2: orElse(blankAsNull('address.line_2'), ''),
  },
})

const phoneNumbers = listByType('phoneNumberType', {
  PRIMARY: { phoneNumber: orElse('address.phone', '') },
  FAX: { phoneNumber: orElse('address.fax', '') },
})

const statusOf = ({ active }: { readonly active: boolean }): string =>
  active ? 'ACTIVE' : 'ARCHIVED'

const rules = {
  remoteId: 'guid', // NOTES "two identifiers"
  email: orElse(blankAsNull('address.email'), ''),
  taxNumber: null, // GnuCash has none
  currency: createOnly(required('currency')),
  companyId: null, // a book has one company
  addresses,
  phoneNumbers,
  remoteCreatedAt: null,
  remoteUpdatedAt: null, // NOTES "no times of change"
  remoteDeleted: null,
} as const

const customerMapping = defineMapping<typeof customer, { readonly active: boolean }>(customer, {
  ...rules,
  customerName: required('name'),
  customerStatus: statusOf,
})

const vendorMapping = defineMapping<typeof vendor, { readonly active: boolean }>(vendor, {
  ...rules,
  vendorName: required('name'),
  vendorStatus: statusOf,
})

const textAt = (entry: JsonObject, name: string): string => String(entry[name] ?? '')

/** The form of a create or update. The server takes what it lacks as empty (NOTES "an update replaces all"). */
const formOf = (id: string, party: JsonObject): Record<string, string> => {
  const address: JsonObject = isObject(party.address) ? (party.address as JsonObject) : {}
  const lines = [1, 2, 3, 4].map(
    (number) => [`address_line_${number}`, textAt(address, `line_${number}`)] as const,
  )
  return {
    id,
    name: textAt(party, 'name'),
    currency: textAt(party, 'currency'),
    contact: textAt(address, 'name'),
    ...Object.fromEntries(lines),
    phone: textAt(address, 'phone'),
    fax: textAt(address, 'fax'),
    email: textAt(address, 'email'),
  }
}

/** The parts of `address` that no unified field sets. */
const REMOTE_FIELDS = ['name', 'line_3', 'line_4']

/** @throws WriteRejection if the server has no parameter for a remote field */
const expectWritable = (remoteFields: JsonObject): void => {
  const { address, ...others } = remoteFields
  const parts = isObject(address) ? Object.keys(address) : []
  const unknown = Object.keys(others)[0] ?? parts.find((part) => !REMOTE_FIELDS.includes(part))
  if (unknown === undefined && (address === undefined || isObject(address))) return
  throw new WriteRejection(
    `${app} accepts only these remote fields: ${REMOTE_FIELDS.map((name) => `address.${name}`).join(', ')}.`,
    'remoteFields',
  )
}

const mergeChanges = (party: JsonObject, changes: JsonObject): JsonObject => ({
  ...party,
  ...changes,
  address: { ...Object(party.address), ...Object(changes.address) },
})

/** Parties are addressed by an id that need not be unique, so a party is found in the list (NOTES "two identifiers"). */
const partyWriter = (mapping: Mapping, path: string, canUpdate: boolean): ResourceWriter => {
  function* find(guid: string): Steps<{ party: Party | undefined; isUnique: boolean }> {
    const { body } = yield { method: 'GET', path }
    // Safe: the parsed JSON of a list.
    const parties = body as readonly Party[]
    const party = parties.find((one) => one.guid === guid)
    return { party, isUnique: parties.filter(({ id }) => id === party?.id).length === 1 }
  }
  return {
    *get(guid) {
      return (yield* find(guid)).party
    },
    create: {
      fields: writableFields(mapping, 'create'),
      *steps(input) {
        expectWritable(input.remoteFields)
        const body = yield* buildBody(mapping, input, { app, verb: 'create' })
        return (yield { method: 'POST', path, form: formOf('', body) }).body
      },
    },
    ...(canUpdate && {
      update: {
        fields: writableFields(mapping, 'update'),
        guard: 'compare',
        *steps(input, { remoteId }) {
          expectWritable(input.remoteFields)
          const changes = yield* buildBody(mapping, input, { app, verb: 'update' })
          const { party, isUnique } = yield* find(remoteId)
          if (!party) throw new RecordNotFoundError(`${app} lists no record ${remoteId}.`)
          const { id } = party
          if (!isUnique)
            throw new WriteRejection(
              `${app} has several records with the id ${id} and would update any of them.`,
            )
          const form = formOf(id, mergeChanges(party, changes))
          return (yield { method: 'POST', path: `${path}/${encodeURIComponent(id)}`, form }).body
        },
      },
    }),
  }
}

export const customers: ResourceConnector = {
  ...collection(customerMapping, '/customers'),
  write: partyWriter(customerMapping, '/customers', true),
}

/** The server has no request that updates a vendor. */
export const vendors: ResourceConnector = {
  ...collection(vendorMapping, '/vendors'),
  write: partyWriter(vendorMapping, '/vendors', false),
}
