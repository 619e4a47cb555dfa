/** CRM collections. */
import { enumeration, listOf, notNull, readOnly } from '../../definition/mapping/converters.ts'
import { account } from '../../resources/crm/account.ts'
import { contact } from '../../resources/crm/contact.ts'
import { lead } from '../../resources/crm/lead.ts'
import { note } from '../../resources/crm/note.ts'
import { opportunity } from '../../resources/crm/opportunity.ts'
import { stage } from '../../resources/crm/stage.ts'
import { task } from '../../resources/crm/task.ts'
import { user } from '../../resources/crm/user.ts'
import { collection } from './collection.ts'
import { money } from './formats.ts'
import { idOrName } from './look-up.ts'

/** The owner's name; written also by id (NOTES "`owner` is an id; `accountOwner`"). */
const ownerIn = (field: string) => idOrName('members', 'name', field, 'owner')

/** The postal code of a lead's address, which the common model lacks, stays in the sandbox. */
const leadAddress = {
  addressType: 'addressType',
  street1: 'street1',
  city: 'city',
  state: 'state',
  country: 'country',
}

/** The CRM collections. */
export const crm = [
  collection('members', user),
  collection('organizations', account, { accountOwner: ownerIn('accountOwner') }),
  collection('people', contact, {
    account: idOrName('organizations', 'accountName', 'account'),
  }),
  collection('leads', lead, {
    leadOwner: ownerIn('leadOwner'),
    addresses: listOf('addresses', leadAddress, { matchBy: [['addressType', 'street1']] }),
  }),
  collection('deal_stages', stage),
  collection('deals', opportunity, {
    opportunityName: notNull('opportunityName'),
    amount: money('amount'),
    opportunityStage: notNull('opportunityStage'),
    opportunityStatus: readOnly('opportunityStatus'),
  }),
  collection('notes', note),
  collection('tasks', task, {
    taskSubject: notNull('taskSubject'),
    taskStatus: notNull(enumeration('taskStatus', ['todo', 'doing', 'done'])),
    completedDate: readOnly('completedDate'),
  }),
]
