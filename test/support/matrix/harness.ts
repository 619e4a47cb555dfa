/** Environments with one object of every kind, created through the API. */

import { catalogue } from '../../../src/generated/registry.ts'
import { createSandboxApp } from '../../../src/sandbox/app.ts'
import { SANDBOX_CLIENT } from '../../../src/sandbox/oauth/endpoints.ts'
import type { TenantAccess } from '../../../src/sandbox/tenant.ts'
import { samples } from '../../sandbox/write-samples.ts'
import { callOver, type Input } from '../operations.ts'
import { sampleRecord } from '../sample.ts'
import { startService, type TestService } from '../service.ts'
import { defineWorkflow } from '../workflow.ts'

/** The id of one object of each kind: `users`, `installations`, and each resource by its topic. */
export type Ids = Readonly<Record<string, string>>

/** An end user and the user's objects. */
export interface Person {
  readonly token: string
  readonly ids: Ids
}

/** An environment with one end user. */
export interface NewEnvironment extends Person {
  readonly key: string
  readonly environmentId: string
}

export interface FilledEnvironment extends NewEnvironment {
  /** Another end user of the environment. */
  readonly other: Person
}

export interface MatrixHarness {
  readonly service: TestService
  readonly tenantAccess: TenantAccess
  /** Creates an environment, in an organisation of its own by default. */
  createEnvironment(
    kind?: 'development' | 'production',
    organisation?: string,
  ): Promise<NewEnvironment>
  /** Adds another end user to an environment, and a record of every resource. */
  createFilledEnvironment(
    kind: 'development' | 'production',
    organisation: string,
  ): Promise<FilledEnvironment>
  /** Creates a record of the topic through the API. @returns its id */
  createRecord(filled: FilledEnvironment, topic: string): Promise<string>
}

const pointsField: Input = {
  resource: 'crm/contacts',
  name: 'points',
  type: 'number',
  remoteField: 'loyalty_points',
  app: 'sandbox',
}

/** Starts a service with the sandbox behind it. */
export const openMatrixHarness = async (): Promise<MatrixHarness> => {
  const service = await startService()
  const tenantAccess = await createSandboxApp(service).openTenant('acme')
  const over = callOver(service, 'REST')
  let number = 0

  const call = async (key: string, name: string, input: Input = {}) => {
    const { status, result, message } = await over(key, name, input)
    if (status !== 200) throw new Error(`${name}: ${status} ${message}`)
    return result
  }

  const createPerson = async (key: string, shared: Ids): Promise<Person> => {
    const { userId } = await call(key, 'createUser', { username: `user ${++number}` })
    const credential = { ...tenantAccess }
    const connected = await call(key, 'createCredential', { userId, app: 'sandbox', credential })
    const credentials = connected.credentialId
    const { integrations: integrationId } = shared
    const started = await call(key, 'startInstallation', { userId, integrationId })
    const { installationId } = await call(key, 'completeInstallation', {
      installationId: started.installationId,
    })
    const { reconciliationId } = await call(key, 'startReconciliation', {
      userId,
      credentialId: credentials,
      resource: 'crm/accounts',
    })
    const { authorizationId } = await call(key, 'createAuthorization', { userId, app: 'sandbox' })
    return {
      token: await call(key, 'userToken', { userId }),
      ids: {
        ...shared,
        users: userId,
        credentials,
        installations: installationId,
        authorizations: authorizationId,
        reconciliations: reconciliationId,
      },
    }
  }

  const createRecord: MatrixHarness['createRecord'] = async ({ key, ids }, topic) => {
    const resource = catalogue.get(topic)
    const parent = topic === 'commerce/fulfillments' ? { orderId: ids['commerce/orders'] } : {}
    const response = await service.send(
      key,
      'POST',
      `/2024-03/one${resource.restPath}?credentialId=${ids.credentials}`,
      { ...samples[topic]?.create, ...parent },
    )
    if (response.statusCode !== 200) throw new Error(`${topic}: ${response.body}`)
    return response.json()[resource.name].id
  }

  const createEnvironment: MatrixHarness['createEnvironment'] = async (
    kind = 'development',
    organisation = `Organisation ${++number}`,
  ) => {
    const { key, environmentId } = await service.createTenant(kind, [], organisation)
    const integration = await call(key, 'defineIntegration', {
      slug: 'shop',
      name: 'Shop',
      app: 'sandbox',
      workflows: [{ slug: 'one', name: 'One', definition: defineWorkflow(1) }],
    })
    await call(key, 'setOAuthClient', { app: 'sandbox', ...SANDBOX_CLIENT })
    const { subscriptionId } = await call(key, 'createWebhook', {
      address: 'https://hooks.example.com/',
      topic: ['crm/accounts'],
    })
    const shared = {
      integrations: integration.integrationId,
      workflows: integration.workflows[0].workflowId,
      webhooks: subscriptionId,
      'api-keys': (await call(key, 'generateApiKey')).keyId,
      'custom-fields': (await call(key, 'createCustomField', pointsField)).id,
    }
    return { ...(await createPerson(key, shared)), key, environmentId }
  }

  const withRecords = async (filled: FilledEnvironment): Promise<FilledEnvironment> => {
    const { credentials = '' } = filled.ids
    const ids: Record<string, string> = { ...filled.ids }
    // Orders first: a fulfillment belongs to one.
    const isOrders = ({ topic }: { readonly topic: string }) => topic === 'commerce/orders'
    const resources = catalogue.resources.toSorted((a, b) => +isOrders(b) - +isOrders(a))
    for (const resource of resources)
      if (samples[resource.topic])
        ids[resource.topic] = await createRecord({ ...filled, ids }, resource.topic)
      else {
        const record = sampleRecord(credentials, resource, 1)
        const tenant = { ...filled, userId: '', credentialIds: [] }
        await service.save(tenant, credentials, resource, [record])
        ids[resource.topic] = record.id
      }
    // Ids that the examples of the change log use.
    return { ...filled, ids: { ...ids, records: ids['crm/accounts'] ?? '' } }
  }

  return {
    service,
    tenantAccess,
    createRecord,
    createEnvironment,
    createFilledEnvironment: async (kind, organisation) => {
      const environment = await createEnvironment(kind, organisation)
      const { key, ids } = environment
      return withRecords({ ...environment, other: await createPerson(key, ids) })
    },
  }
}
