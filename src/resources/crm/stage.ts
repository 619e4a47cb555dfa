import { integer, number, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const stage = defineResource({
  name: 'stage',
  plural: 'stages',
  category: 'crm',
  doc: 'A step of a sales pipeline.',
  verbs: ['list', 'get'],
  fields: {
    stageName: text('Name of the stage.'),
    pipelineName: text('Name of the pipeline the stage belongs to.'),
    displayOrder: integer('Position of the stage in its pipeline; the lowest is first.'),
    probability: number('Probability that an opportunity in this stage is won, in percent.'),
  },
})
