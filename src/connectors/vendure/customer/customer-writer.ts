import {
  type Json,
  type ResourceWriter,
  type WriteInput,
  WriteRefusal,
} from '../../../definition/connector.ts'
import { act, OR_ERROR } from '../graphql.ts'
import { readEntry, readWritten } from '../listing.ts'
import { withRemoteFields } from '../remote-fields.ts'
import { customers } from './customer.ts'

const FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const

const REQUIRED = 'Vendure requires a value for every customer'

/** Vendure's names of the unified fields, and whether Vendure requires a value. */
const remote = {
  firstName: { name: 'firstName', required: true },
  lastName: { name: 'lastName', required: true },
  email: { name: 'emailAddress', required: true },
  phone: { name: 'phoneNumber', required: false },
} as const

/** @throws WriteRefusal if a required field is cleared */
const inputOf = ({ fields, remoteFields }: WriteInput, id: { readonly id?: string }) => {
  const input: Record<string, Json> = { ...id }
  for (const field of FIELDS) {
    const value = fields[field]
    const { name, required } = remote[field]
    if (value === undefined) continue
    if (required && (value === null || value === '')) throw new WriteRefusal(REQUIRED, field)
    input[name] = value
  }
  return withRemoteFields(input, remoteFields)
}

const CREATE = `mutation ($input: CreateCustomerInput!) {
  createCustomer(input: $input) { ... on Customer { id } ${OR_ERROR} } }`
const UPDATE = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) { ... on Customer { id } ${OR_ERROR} } }`
const DELETE = 'mutation ($id: ID!) { deleteCustomer(id: $id) { result message } }'

/**
 * The writer of customers with an account. Only a checkout creates guests (NOTES "a created customer has an
 * account").
 */
export const customerWriter: ResourceWriter = {
  *get(remoteId) {
    const [record] = yield* readEntry(customers, remoteId)
    return record
  },
  create: {
    fields: FIELDS,
    *steps(input) {
      for (const field of FIELDS)
        if (remote[field].required && input.fields[field] === undefined)
          throw new WriteRefusal(REQUIRED, field)
      const { id } = yield* act(CREATE, { input: inputOf(input, {}) })
      return yield* readWritten(customers, id)
    },
  },
  update: {
    fields: FIELDS,
    guard: 'compare',
    *steps(input, { remoteId: id }) {
      const change = inputOf(input, { id })
      if (Object.keys(change).length > 1) yield* act(UPDATE, { input: change })
      return yield* readWritten(customers, id)
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId: id }) {
      yield* act(DELETE, { id })
    },
  },
  // Vendure trims and lower-cases e-mail addresses (NOTES "a created customer has an account").
  normalize: ({ fields, remoteFields }) => {
    const { email } = fields
    const normalized = typeof email === 'string' && { email: email.trim().toLowerCase() }
    return { fields: { ...fields, ...normalized }, remoteFields }
  },
}
