import type { ResourceWriter } from '../../../definition/connector.ts'
import { writableFields } from '../../../definition/mapping/write.ts'
import { getBy } from '../../../definition/paging/compose.ts'
import { mutate, OR_ERROR } from '../graphql.ts'
import { readWritten } from '../listing.ts'
import { inputOf, withRemoteFields } from '../write-input.ts'
import { customers, mapping } from './customer.ts'

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
  get: getBy(customers.readMany),
  create: {
    fields: writableFields(mapping, 'create'),
    *steps({ fields, remoteFields }) {
      const body = yield* inputOf(mapping, fields, 'create')
      const { id } = yield* mutate(CREATE, { input: withRemoteFields(body, remoteFields) })
      return yield* readWritten(customers, id)
    },
  },
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps({ fields, remoteFields }, { remoteId: id }) {
      const body = yield* inputOf(mapping, fields, 'update')
      const input = withRemoteFields({ ...body, id }, remoteFields)
      if (Object.keys(input).length > 1) yield* mutate(UPDATE, { input })
      return yield* readWritten(customers, id)
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId: id }) {
      yield* mutate(DELETE, { id })
    },
  },
  // Vendure trims and lower-cases e-mail addresses (NOTES "a created customer has an account").
  normalize: ({ fields, remoteFields }) => {
    const { email } = fields
    const normalized = typeof email === 'string' && { email: email.trim().toLowerCase() }
    return { fields: { ...fields, ...normalized }, remoteFields }
  },
}
