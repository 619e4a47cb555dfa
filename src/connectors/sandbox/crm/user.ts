import { defineMapping } from '../../../definition/mapping.ts'
import { user } from '../../../resources/crm/user.ts'
import { collection } from '../collection.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(user, {
  ...history,
  name: 'full_name',
  email: 'email',
  isActive: 'active',
})

/** `/v1/members`, which the sandbox only lets be read. */
export default collection('members', mapping)
