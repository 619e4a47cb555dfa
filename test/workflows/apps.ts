/** Two test apps for workflows: a shop that is read and a CRM that is written to. Neither receives requests. */
import {
  type Connector,
  defineConnector,
  type ResourceWriter,
} from '../../src/definition/connector.ts'
import { catalogue, connectors as registered } from '../../src/generated/registry.ts'

const rejectRequest = (): never => {
  throw new Error('The writer of workflows replaces this.')
}

const writerOf = (topic: string): ResourceWriter => {
  const fields = Object.keys(catalogue.get(topic).fields)
  return {
    get: rejectRequest,
    create: { fields, steps: rejectRequest },
    update: { fields, guard: 'compare', steps: rejectRequest },
  }
}

const sandbox = registered.get('sandbox')
if (!sandbox) throw new Error('The sandbox has no connector.')

const defineApp = (app: string, topics: Readonly<Record<string, 'read' | 'write'>>): Connector =>
  defineConnector({
    ...sandbox,
    app,
    resources: Object.fromEntries(
      Object.entries(topics).map(([topic, use]) => {
        const resource = sandbox.resources[topic]
        if (!resource) throw new Error(`The sandbox has no ${topic}.`)
        const { write: _, ...readOnly } = resource
        return [topic, { ...readOnly, ...(use === 'write' && { write: writerOf(topic) }) }]
      }),
    ),
  })

export const apps: ReadonlyMap<string, Connector> = new Map(
  [
    defineApp('shop', { 'commerce/orders': 'write', 'commerce/products': 'read' }),
    defineApp('crm', { 'crm/notes': 'write', 'crm/leads': 'read', 'crm/opportunities': 'write' }),
  ].map((connector) => [connector.app, connector]),
)

/** The JSON of a workflow. */
export const defineWorkflow = (when: object, action: object): object =>
  Object.fromEntries([
    ['when', when],
    ['then', action],
  ])

/** A workflow that copies orders of the shop to notes of the CRM. */
export const ordersToNotes = (fields: object, when: object = {}): object =>
  defineWorkflow(
    { app: 'shop', topic: 'commerce/orders', ...when },
    { upsert: { app: 'crm', resource: 'crm/notes', fields } },
  )
