import { user } from '../../../resources/crm/user.ts'
import { collection } from '../collection.ts'

/** `/v1/members`, read-only in the sandbox. */
export default collection('members', user, {
  name: 'full_name',
  email: 'email',
  isActive: 'active',
})
