import { notNull, readOnly } from '../../../definition/mapping/converters.ts'
import { opportunity } from '../../../resources/crm/opportunity.ts'
import { collection } from '../collection.ts'
import { money } from '../formats.ts'

/** `/v1/deals` */
export default collection('deals', opportunity, {
  opportunityName: notNull('title'),
  opportunityDescription: 'summary',
  amount: money('value'),
  opportunityOwner: 'owner',
  opportunityAccount: 'organization',
  opportunityStage: notNull('stage'),
  opportunityStatus: readOnly('outcome'),
  closeDate: 'closes_on',
  lastActivityAt: 'last_touch',
})
