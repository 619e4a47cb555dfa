/** Owners: the users to whom records are assigned. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { passes } from '../../definition/paging/compose.ts'
import type { Values } from '../../definition/raw-values.ts'
import { user } from '../../resources/crm/user.ts'
import { nameOf, ownerPages } from './portal.ts'

const mapping = defineMapping<typeof user, Values>(user, {
  remoteId: 'id',
  name: nameOf,
  email: 'email',
  isActive: ({ archived }) => archived !== true,
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "owners stay"
})

export const ownerResource: ResourceConnector = {
  mapping,
  ...passes(() => ({ active: ownerPages(false), archived: ownerPages(true) })),
  sync: { changes: { by: 'full-listing' }, deletions: 'compared' },
}
