import { stage } from '../../../resources/crm/stage.ts'
import { collection } from '../collection.ts'

/** `/v1/deal_stages`, read-only in the sandbox. */
export default collection('deal_stages', stage, {
  stageName: 'label',
  pipelineName: 'pipeline',
  displayOrder: 'position',
  probability: 'win_percent',
})
