import { defineMapping } from '../../../definition/mapping.ts'
import { opportunity } from '../../../resources/crm/opportunity.ts'
import { collection } from '../collection.ts'
import { money, required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(opportunity, {
  ...recordFields,
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
  opportunityName: as('title', required()),
  opportunityDescription: 'summary',
  amount: as('value', money),
  opportunityOwner: 'owner',
  opportunityAccount: 'organization',
  opportunityStage: as('stage', required()),
  closeDate: 'closes_on',
  lastActivityAt: 'last_touch',
})
