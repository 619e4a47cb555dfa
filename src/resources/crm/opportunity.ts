import { date, enumeration, number, reference, text, timestamp } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { opportunityStates } from '../states.ts'

export const opportunity = defineResource({
  name: 'opportunity',
  plural: 'opportunities',
  category: 'crm',
  doc: 'A potential sale.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    opportunityName: text('Name of the opportunity.'),
    opportunityDescription: text('Description of the opportunity.'),
    amount: number('Expected amount of the sale.'),
    currency: currency('Currency of the amount.'),
    opportunityOwner: reference('crm/users', 'User who owns the opportunity.', {
      as: 'owner',
    }),
    opportunityAccount: reference('crm/accounts', 'Account to which the sale would be made.', {
      as: 'account',
    }),
    opportunityStage: reference('crm/stages', 'Current stage of the opportunity.', { as: 'stage' }),
    opportunityStatus: text('Status of the opportunity (open, won or lost), as the app names it.'),
    opportunityState: enumeration(
      'Status of the opportunity, the same words for every app.',
      opportunityStates,
    ),
    closeDate: date('Actual or expected date of the close.'),
    lastActivityAt: timestamp('Time of the last activity on the opportunity.'),
  },
})
