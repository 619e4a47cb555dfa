import { defineMapping } from '../../../definition/mapping.ts'
import { opportunity } from '../../../resources/crm/opportunity.ts'
import { collection } from '../collection.ts'
import { filled, money } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(opportunity, {
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

/** `/v1/deals` */
export default collection('deals', mapping, {
  opportunityName: as('title', filled()),
  opportunityDescription: 'summary',
  amount: as('value', money),
  opportunityOwner: 'owner',
  opportunityAccount: 'organization',
  opportunityStage: as('stage', filled()),
  closeDate: 'closes_on',
  lastActivityAt: 'last_touch',
})
