import { defineMapping } from '../../../definition/mapping.ts'
import { opportunity } from '../../../resources/crm/opportunity.ts'
import { history } from '../shared.ts'

/** `/v1/deals` */
export default defineMapping(opportunity, {
  ...history,
  opportunityName: 'title',
  opportunityDescription: 'summary',
  amount: 'value',
  opportunityOwner: 'owner',
  opportunityAccount: 'organization',
  opportunityStage: 'stage',
  opportunityStatus: 'outcome',
  closeDate: 'closes_on',
  lastActivityAt: 'last_touch',
})
