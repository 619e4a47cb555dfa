/** CRM collections. */
import { enumeration, notNull, readOnly } from '../../definition/mapping/converters.ts'
import { states } from '../../definition/mapping/states.ts'
import { account } from '../../resources/crm/account.ts'
import { contact } from '../../resources/crm/contact.ts'
import { lead } from '../../resources/crm/lead.ts'
import { note } from '../../resources/crm/note.ts'
import { opportunity } from '../../resources/crm/opportunity.ts'
import { stage } from '../../resources/crm/stage.ts'
import { task } from '../../resources/crm/task.ts'
import { user } from '../../resources/crm/user.ts'
import { collection } from './collection.ts'
import { entriesOf } from './derived.ts'
import { money } from './formats.ts'
import { idOrName } from './look-up.ts'

/** The owner's name; written also by id (NOTES "`owner` is an id; `accountOwner`"). */
const ownerIn = (field: string) => idOrName('members', 'name', field, 'owner')

/** The CRM collections. */
export const crm = [
  collection('members', user),
  collection('organizations', account, { accountOwner: ownerIn('accountOwner') }),
  collection('people', contact, {
    account: idOrName('organizations', 'accountName', 'account'),
  }),
  collection('leads', lead, {
    leadOwner: ownerIn('leadOwner'),
    // The postal code of an address, which the common model lacks, stays in the sandbox.
    addresses: entriesOf(lead, 'addresses', {}, [['addressType', 'street1']]),
  }),
  collection('deal_stages', stage),
  collection('deals', opportunity, {
    opportunityName: notNull('opportunityName'),
    amount: money('amount'),
    currency: notNull('currency_code'),
    opportunityStage: notNull('opportunityStage'),
    opportunityStatus: readOnly('opportunityStatus'),
    opportunityState: states('opportunityStatus', { open: 'OPEN', won: 'WON', lost: 'LOST' }),
  }),
  collection('notes', note),
  collection('tasks', task, {
    taskSubject: notNull('taskSubject'),
    taskStatus: notNull(enumeration('taskStatus', ['todo', 'doing', 'done'])),
    completedDate: readOnly('completedDate'),
  }),
]
