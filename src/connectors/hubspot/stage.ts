/** Stages of deals, which HubSpot lists as parts of pipelines. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { mapRecords } from '../../definition/paging/compose.ts'
import { singlePage } from '../../definition/paging/pager.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'
import { stage } from '../../resources/crm/stage.ts'
import { crmPath } from './object-type.ts'

// The share of HubSpot has two decimals; the factor would add others.
const MAX_DECIMALS = 6

/** `0.2` as 20. */
const percentOf = (share: unknown): number | undefined => {
  const percent = Number(share ?? Number.NaN) * 100
  return Number.isNaN(percent) ? undefined : Number(percent.toFixed(MAX_DECIMALS))
}

const mapping = defineMapping(stage, {
  remoteId: 'id',
  stageName: 'label',
  pipelineName: 'pipeline.label',
  displayOrder: 'displayOrder',
  probability: ({ metadata }) => percentOf(valuesOf(metadata).probability),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: 'archived',
})

/** The stages of a pipeline, with its id and name. */
const stagesOf = (pipeline: unknown): readonly unknown[] => {
  const { id, label, stages } = valuesOf(pipeline)
  return entriesOf(stages).map((one) => ({ ...one, pipeline: { id, label } }))
}

export const stageResource: ResourceConnector = {
  mapping,
  ...mapRecords(
    singlePage({
      request: () => ({ method: 'GET', path: crmPath('pipelines', 'deals') }),
      records: 'results',
    }),
    stagesOf,
  ),
  sync: { changes: { by: 'full-listing' }, deletions: 'compared' },
}
