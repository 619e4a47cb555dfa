import { defineMapping } from '../../../definition/mapping.ts'
import { stage } from '../../../resources/crm/stage.ts'
import { history } from '../shared.ts'

/** `/v1/deal_stages` */
export default defineMapping(stage, {
  ...history,
  stageName: 'label',
  pipelineName: 'pipeline',
  displayOrder: 'position',
  probability: 'win_percent',
})
