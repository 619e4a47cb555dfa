import { defineMapping } from '../../../definition/mapping.ts'
import { user } from '../../../resources/crm/user.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(user, {
  ...recordFields,
  name: 'full_name',
  email: 'email',
  isActive: 'active',
})

/** `/v1/members`, read-only in the sandbox. */
export default collection('members', mapping)
