import {
  type Json,
  type ResourceWriter,
  type WriteInput,
  WriteRefusal,
} from '../../definition/connector.ts'
import { customers } from './customer.ts'
import { act, OR_ERROR } from './graphql.ts'
import { readEntry, readWritten } from './listing.ts'
import { withRemoteFields } from './remote-fields.ts'

const FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const

/** By unified name: Vendure's, and whether a customer must have it. */
const remote = {
  firstName: { name: 'firstName', needed: true },
  lastName: { name: 'lastName', needed: true },
  email: { name: 'emailAddress', needed: true },
  phone: { name: 'phoneNumber', needed: false },
} as const

/** @throws WriteRefusal if a field that a customer must have is emptied */
const inputOf = ({ fields, remoteFields }: WriteInput, id: { readonly id?: string }) => {
  const input: Record<string, Json> = { ...id }
  for (const field of FIELDS) {
    const value = fields[field]
    const { name, needed } = remote[field]
    if (value === undefined) continue
    if (needed && (value === null || value === ''))
      throw new WriteRefusal('a customer of Vendure must have one', field)
    input[name] = value
  }
  return withRemoteFields(input, remoteFields)
}

const CREATE = `mutation ($input: CreateCustomerInput!) {
  createCustomer(input: $input) { ... on Customer { id } ${OR_ERROR} } }`
const UPDATE = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) { ... on Customer { id } ${OR_ERROR} } }`
const DELETE = 'mutation ($id: ID!) { deleteCustomer(id: $id) { result message } }'

/** Customers with an account: a guest is made by ordering alone (NOTES 38). */
export const customerWriter: ResourceWriter = {
  *get(remoteId) {
    const [record] = yield* readEntry(customers, remoteId)
    return record
  },
  create: {
    fields: FIELDS,
    *steps(input) {
      for (const field of FIELDS)
        if (remote[field].needed && input.fields[field] === undefined)
          throw new WriteRefusal('a customer of Vendure must have one', field)
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
  // NOTES 38
  shownAs: ({ fields, remoteFields }) => {
    const { email } = fields
    const kept = typeof email === 'string' && { email: email.trim().toLowerCase() }
    return { fields: { ...fields, ...kept }, remoteFields }
  },
}
