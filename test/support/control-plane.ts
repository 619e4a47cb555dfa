/** Environments with several objects of every kind that the control plane lists, stored without calling an app. */
import { randomUUID } from 'node:crypto'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from './sample.ts'
import type { Tenant, TestService } from './service.ts'

/** How many objects of each kind exist. */
export const OBJECTS_PER_KIND = 3

/** An end user with the user's credentials and installations, in the order of their creation. */
export interface Person {
  readonly userId: string
  readonly credentialIds: readonly string[]
  readonly installationIds: readonly string[]
}

export interface ControlPlane extends Tenant {
  readonly people: readonly Person[]
  readonly integrationIds: readonly string[]
  /** A workflow of the first integration, which every end user has installed. */
  readonly workflowId: string
  readonly subscriptionIds: readonly string[]
  /** The id of a record of the topic `crm/accounts` of the first credential. */
  readonly recordId: string
}

const numbers = Array.from({ length: OBJECTS_PER_KIND }, (_, n) => n)

/** Creates each in turn, because lists are in the order of creation. */
const createInTurn = async <T>(create: (n: number) => Promise<T>): Promise<T[]> => {
  const created: T[] = []
  for (const n of numbers) created.push(await create(n))
  return created
}

const attemptInput = (n: number) => ({
  topic: 'crm/accounts',
  change: null,
  attempt: n + 1,
  at: '2026-03-02T09:30:00.000Z',
  latencyMs: 5,
  status: 204,
  failure: null,
  answer: '',
})

/** Fills an environment that has an end user with the name `user`. */
export const fillControlPlane = async (
  { database: { prisma }, save }: TestService,
  tenant: Tenant,
): Promise<ControlPlane> => {
  const { environmentId } = tenant
  const integrations = await createInTurn((n) =>
    prisma.integration.create({
      data: {
        environmentId,
        slug: `integration-${n}`,
        name: `Integration ${n}`,
        app: 'sandbox',
        workflows: {
          create: {
            slug: 'one',
            name: 'One',
            versions: { create: { version: 1, definition: {} } },
          },
        },
      },
      include: { workflows: true },
    }),
  )
  const workflowId = integrations[0]?.workflows[0]?.id ?? ''

  const addPerson = async (n: number): Promise<Person> => {
    const { id: userId } =
      n === 0
        ? { id: tenant.userId }
        : await prisma.endUser.create({ data: { environmentId, username: `user ${n}` } })
    const credentials = await createInTurn(() => {
      const id = randomUUID()
      return prisma.credential.create({
        data: { id, route: id.slice(0, 8), environmentId, userId, app: 'sandbox', values: {} },
      })
    })
    const credentialIds = credentials.map(({ id }) => id)
    const installations = await createInTurn((at) =>
      prisma.installation.create({
        data: {
          integrationId: integrations[at]?.id ?? '',
          userId,
          credentialIds,
          installedAt: new Date(),
          ...(at === 0 && { workflows: { create: { workflowId, installedVersion: 1 } } }),
        },
      }),
    )
    return { userId, credentialIds, installationIds: installations.map(({ id }) => id) }
  }
  const people = await createInTurn(addPerson)
  const [first] = people
  const credentialId = first?.credentialIds[0] ?? ''

  const accounts = catalogue.get('crm/accounts')
  for (const { credentialIds } of people)
    for (const id of credentialIds)
      await save(
        tenant,
        id,
        accounts,
        numbers.map((n) => sampleRecord(id, accounts, n + 1)),
      )
  const recordId = sampleRecord(credentialId, accounts, 1).id
  // A second and a third change of the record.
  for (const n of [1, 2])
    await save(tenant, credentialId, accounts, [
      { ...sampleRecord(credentialId, accounts, 1), accountName: `Name ${n}` },
    ])

  const subscriptions = await createInTurn((n) =>
    prisma.webhookSubscription.create({
      data: {
        environmentId,
        address: `https://hooks.example.com/${n}`,
        topics: ['crm/accounts'],
        sealedSecret: Buffer.alloc(1),
        delivery: { create: {} },
      },
    }),
  )
  for (const { id } of subscriptions)
    await prisma.webhookAttemptBatch.create({
      data: {
        subscriptionId: id,
        messageIds: numbers.map((n) => `msg_${n}`),
        attempts: numbers.map(attemptInput),
      },
    })
  for (const { installationIds } of people)
    await createInTurn((n) =>
      prisma.workflowRun.create({
        data: {
          installationId: installationIds[0] ?? '',
          workflowId,
          version: 1,
          change: `${n}`,
          changedAt: new Date(),
          credentialId,
          topic: 'crm/accounts',
          kind: 'updated',
          recordId,
          changedFields: [],
          record: {},
          status: 'succeeded',
        },
      }),
    )
  await createInTurn(() =>
    prisma.appRequest.create({
      data: { credentialId, at: new Date(), method: 'GET', path: '/', status: 500, tookMs: 1 },
    }),
  )
  await prisma.syncState.create({ data: { credentialId, topic: accounts.topic } })
  await createInTurn((n) =>
    prisma.reconciliation.create({
      data: { id: randomUUID(), credentialId, topic: accounts.topic, requestedAt: new Date(n) },
    }),
  )
  await createInTurn((n) =>
    prisma.customField.create({
      data: {
        id: randomUUID(),
        environmentId,
        app: 'sandbox',
        topic: accounts.topic,
        name: `field${n}`,
        type: 'text',
        remoteField: `field${n}`,
      },
    }),
  )
  await createInTurn((n) =>
    prisma.oAuthClient.create({
      data: {
        id: randomUUID(),
        environmentId,
        app: `app${n}`,
        clientId: 'client',
        sealedSecret: Buffer.alloc(1),
        scopes: [],
      },
    }),
  )
  return {
    ...tenant,
    people,
    integrationIds: integrations.map(({ id }) => id),
    workflowId,
    subscriptionIds: subscriptions.map(({ id }) => id),
    recordId,
  }
}
