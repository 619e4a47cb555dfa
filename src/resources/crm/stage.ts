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
    displayOrder: integer('Place of the stage among those of its pipeline, lowest first.'),
    probability: number('Chance that an opportunity in the stage is won, in percent.'),
  },
})
