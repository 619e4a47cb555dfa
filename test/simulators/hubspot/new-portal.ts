/** The initial data of a new portal: its pipelines. */
import type { JsonObject } from '../engine/json.ts'
import type { Portal, Stage } from './portal.ts'

const stage = (id: string, label: string, metadata: Stage['metadata']): Stage => ({
  id,
  label,
  metadata,
})

const deal = (id: string, label: string, probability: string): Stage =>
  stage(id, label, {
    probability,
    isClosed: String(probability === '0.0' || probability === '1.0'),
  })

const DEAL_STAGES: readonly Stage[] = [
  deal('appointmentscheduled', 'Appointment Scheduled', '0.2'),
  deal('qualifiedtobuy', 'Qualified To Buy', '0.4'),
  deal('presentationscheduled', 'Presentation Scheduled', '0.6'),
  deal('decisionmakerboughtin', 'Decision Maker Bought-In', '0.8'),
  deal('contractsent', 'Contract Sent', '0.9'),
  deal('closedwon', 'Closed Won', '1.0'),
  deal('closedlost', 'Closed Lost', '0.0'),
]

const LEAD_STAGES: readonly Stage[] = [
  stage('new-stage-id', 'New', { leadState: 'NEW' }),
  stage('attempting-stage-id', 'Attempting', { leadState: 'IN_PROGRESS' }),
  stage('connected-stage-id', 'Connected', { leadState: 'IN_PROGRESS' }),
  stage('qualified-stage-id', 'Qualified', { leadState: 'QUALIFIED' }),
  stage('unqualified-stage-id', 'Disqualified', { leadState: 'UNQUALIFIED' }),
]

export interface NewPipeline {
  readonly id: string
  readonly objectType: string
  readonly label: string
  readonly stages: readonly Stage[]
}

export const addPipeline = (
  { store }: Portal,
  { id, objectType, label, stages }: NewPipeline,
): void => {
  // A stage is JSON.
  const content = stages.map((stage) => ({ ...stage })) as readonly JsonObject[]
  store.insert('pipeline', id, { objectType, label, stages: content })
}

/** Adds the two default pipelines. */
export const fillNewPortal = (portal: Portal): void => {
  const sales = { id: 'default', objectType: 'deals', label: 'Sales Pipeline' }
  addPipeline(portal, { ...sales, stages: DEAL_STAGES })
  const prospects = { id: 'lead-pipeline-id', objectType: 'leads', label: 'Lead Pipeline' }
  addPipeline(portal, { ...prospects, stages: LEAD_STAGES })
}
