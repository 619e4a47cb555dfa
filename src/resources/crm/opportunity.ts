import { date, number, reference, text, timestamp } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const opportunity = defineResource({
  name: 'opportunity',
  plural: 'opportunities',
  category: 'crm',
  doc: 'A sale in the making.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    opportunityName: text('Name of the opportunity.'),
    opportunityDescription: text('Description of the opportunity.'),
    amount: number('Amount the sale is expected to bring.'),
    opportunityOwner: reference('crm/users', 'User who looks after the opportunity.', {
      as: 'owner',
    }),
    opportunityAccount: reference('crm/accounts', 'Account the sale would be to.', {
      as: 'account',
    }),
    opportunityStage: reference('crm/stages', 'Stage the opportunity is in.', { as: 'stage' }),
    opportunityStatus: text(
      "Whether the opportunity is open, won or lost, in the app's own words.",
    ),
    closeDate: date('Day the sale was closed or is expected to close.'),
    lastActivityAt: timestamp('Last activity on the opportunity.'),
  },
})
