import { defineMapping } from '../../../definition/mapping.ts'
import { user } from '../../../resources/crm/user.ts'
import { history } from '../shared.ts'

/** `/v1/members` */
export default defineMapping(user, {
  ...history,
  name: 'full_name',
  email: 'email',
  isActive: 'active',
})
