import { defineMapping } from '../../../definition/mapping.ts'
import { stage } from '../../../resources/crm/stage.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(stage, {
  ...recordFields,
  stageName: 'label',
  pipelineName: 'pipeline',
  displayOrder: 'position',
  probability: 'win_percent',
})

/** `/v1/deal_stages`, read-only in the sandbox. */
export default collection('deal_stages', mapping)
