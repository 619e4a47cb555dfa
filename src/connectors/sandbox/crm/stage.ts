import { defineMapping } from '../../../definition/mapping.ts'
import { stage } from '../../../resources/crm/stage.ts'
import { collection } from '../collection.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(stage, {
  ...history,
  stageName: 'label',
  pipelineName: 'pipeline',
  displayOrder: 'position',
  probability: 'win_percent',
})

/** `/v1/deal_stages`, which the sandbox only lets be read. */
export default collection('deal_stages', mapping)
