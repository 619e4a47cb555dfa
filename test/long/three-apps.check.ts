/**
 * QuickBooks, HubSpot and Shopify from end to end, for one end user: connected through the modal in a real browser,
 * 5,000 records synced within the limits of the apps, a change that arrives everywhere, a write, a conflict, a
 * token that expires, one GraphQL query over all three, and the disconnect. The apps are simulators made from their
 * contracts; their consent pages are those of the simulators.
 */
import type { Frame } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { startWorkers } from '../../src/process/workers.ts'
import { type Receiver, startReceiver } from '../delivery/receiver.ts'
import { subscribe } from '../delivery/subscription-harness.ts'
import { browserMissing } from '../support/browser.ts'
import {
  type ConnectHarness,
  click,
  startConnectHarness,
  type Visit,
  waitForHeading,
} from '../support/connect-harness.ts'
import { callOver } from '../support/operations.ts'
import { selectAllFields } from '../support/selection.ts'
import { type SimulatedApp, simulatedApps, WEBHOOK_DELAY_MS } from '../support/simulated-apps.ts'
import { findUnusedAddress } from '../support/unused-address.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

/** Records of each main type, so that each app has 5,000 or more. */
const COUNTS = { hubspot: 840, quickbooks: 860, shopify: 1430 }
const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }
const POLL = { timeout: 30_000, interval: 250 }

const names = Object.keys(simulatedApps)

/** `accounting/customers` is the list `accountingCustomers` and the path `accounting/customers`. */
const listField = (topic: string): string =>
  topic.replace(/\/(.)/, (_, first: string) => first.toUpperCase())

describe.skipIf(missing !== undefined)('three apps of one end user', () => {
  const apps = new Map<string, SimulatedApp>()
  let product: ConnectHarness
  let visit: Visit
  let receiver: Receiver

  beforeAll(async () => {
    const publicUrl = await findUnusedAddress()
    const registered = { ...client, redirectUris: [`${publicUrl}/oauth/callback`] }
    for (const [name, start] of Object.entries(simulatedApps))
      apps.set(
        name,
        await start({ client: registered, count: COUNTS[name as keyof typeof COUNTS] }),
      )
    const connectors = new Map([...apps].map(([name, { connector }]) => [name, connector]))
    product = await startConnectHarness({ publicUrl, connectors })
    receiver = await startReceiver()
    await startWorkers(product.service.runtime, {
      environmentIds: ['', ''],
      userId: undefined,
      credentialIds: [],
      isNew: false,
    })
    visit = await product.visit()
    await visit.signIn()
    for (const app of apps.keys())
      await callOver(product.service, 'REST')(visit.tenant.key, 'setOAuthClient', {
        app,
        ...client,
      })
    await send('POST', '/2024-03/one/webhooks', {
      address: `${receiver.origin}/hook`,
      topic: ['*'],
    })
  }, 120_000)
  afterAll(async () => {
    await product?.stop()
    await receiver?.stop()
    for (const { simulator } of apps.values()) await simulator.stop()
  })

  const send = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const response = await product.service.send(visit.tenant.key, method, path, body)
    return { status: response.statusCode, body: response.json() as Loose }
  }
  const queryData = async (query: string): Promise<Loose> => {
    const { data, errors } = await product.service.graphql(visit.tenant.key, query)
    expect(errors).toEqual([])
    return data
  }
  const appOf = (name: string): SimulatedApp => {
    const app = apps.get(name)
    if (!app) throw new Error(`no app ${name}`)
    return app
  }
  /** The messages of the webhook for this app. */
  const listMessages = (name: string): Loose[] =>
    receiver.at(`/${name}`).map(({ body }) => JSON.parse(body))
  const credentialOf = async (name: string): Promise<Loose> => {
    const { body } = await send('GET', `/2024-03/users/${visit.tenant.userId}/credentials`)
    return body.data.find((credential: Loose) => credential.app === name)
  }
  const recordPath = async (name: string, remoteId?: string): Promise<string> => {
    const { credentialId } = await credentialOf(name)
    const id = remoteId === undefined ? '' : `/${encodeURIComponent(remoteId)}`
    return `/2024-03/one/${appOf(name).records.topic}${id}?credentialId=${credentialId}`
  }
  const recordOf = async (name: string, remoteId: string): Promise<Loose> => {
    const { body } = await send('GET', await recordPath(name, remoteId))
    return Object.values(body)[0]
  }

  const countOf = async (name: string, topic: string): Promise<number> => {
    const { credentialId } = await credentialOf(name)
    const list = `${listField(topic)}(credentialIds: ["${credentialId}"])`
    return (await queryData(`{ list: ${list} { totalCount } }`)).list.totalCount
  }
  /** Enters the address of the webhooks in the app, if the service does not subscribe by itself. */
  const subscribeToApp = async (name: string): Promise<void> => {
    const { simulator } = appOf(name)
    await expect.poll(async () => (await credentialOf(name)).webhooks?.path, POLL).toBeDefined()
    if (simulator.webhooks.subscriptions.size > 0) return
    const url = product.address + (await credentialOf(name)).webhooks.path
    simulator.webhooks.subscribe({ id: 'ours', url, secret: client.clientSecret })
  }

  /** Signs in on the app's page, in the window that opens. */
  const signIn = async (window: Frame, name: string, { account, method, fields }: SimulatedApp) => {
    if (method !== undefined) await window.getByRole('button', { name: method }).click()
    for (const [label, value] of Object.entries(fields)) await window.getByLabel(label).fill(value)
    const next = window.getByRole('button', { name: `Continue to ${name}` })
    const [popup] = await Promise.all([visit.page.waitForEvent('popup'), next.click()])
    await popup.getByLabel(account).check()
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: 'Connect' }).click()
    await closed
  }

  test.each(names)('%s is connected through the modal', async (name) => {
    const app = appOf(name)
    const result = visit.call('authenticate', { app: name })
    const window = await visit.frame()
    await signIn(window, app.connector.name, app)
    await waitForHeading(window, `${app.connector.name} is connected`)
    expect(await result).toMatchObject({ success: true })
    await visit.waitUntilClosed(click(window, 'Done'))
    expect(visit.problems).toEqual([])
  })

  test.each(names)('%s: the first sync stores 5,000 records within the limits', async (name) => {
    const { simulator } = appOf(name)
    await expect
      .poll(async () => (await credentialOf(name)).state, { timeout: 240_000, interval: 500 })
      .toBe('connected')
    const topics = Object.keys(appOf(name).connector.resources)
    const stored = await Promise.all(topics.map((topic) => countOf(name, topic)))
    expect(stored.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5000)
    expect(simulator.journal.find({}).filter(({ status }) => status === 429)).toEqual([])
    const { topic, ids } = appOf(name).records
    expect(await countOf(name, topic)).toBe(ids().length)
  })

  test.each(names)(
    '%s: a change arrives over REST, GraphQL, subscription and webhook',
    async (name) => {
      const { simulator, records } = appOf(name)
      const [remoteId = ''] = records.ids()
      const field = listField(records.topic)
      const subscribed = subscribe('WebSocket', {
        url: `${product.address}/graphql`,
        key: visit.tenant.key,
        query: `subscription { ${field} { kind record { remoteId ${records.nameField} } } }`,
      })
      await expect.poll(() => product.service.live.followers, POLL).toBe(1)
      const topic = [records.topic, 'connection/deleted']
      await send('POST', '/2024-03/one/webhooks', { address: `${receiver.origin}/${name}`, topic })
      await subscribeToApp(name)
      simulator.clock.advance(1000)
      records.rename(remoteId, 'Arrives')
      simulator.clock.advance(WEBHOOK_DELAY_MS)
      await simulator.webhooks.deliver()
      await expect
        .poll(async () => (await recordOf(name, remoteId))[records.nameField], POLL)
        .toBe('Arrives')
      const { credentialId } = await credentialOf(name)
      const list = `${field}(credentialIds: ["${credentialId}"], filter: { ${records.nameField}: "Arrives" })`
      const { [field]: page } = await queryData(
        `{ ${list} { nodes { remoteId ${records.nameField} } } }`,
      )
      expect(page.nodes).toEqual([{ remoteId, [records.nameField]: 'Arrives' }])
      const [{ data }] = (await subscribed.until(1)) as [Loose]
      subscribed.stop()
      expect(data[field]).toMatchObject({ kind: 'UPDATED', record: page.nodes[0] })
      await expect
        .poll(() => listMessages(name).map(({ data: { record } }) => record), POLL)
        .toContainEqual(expect.objectContaining(page.nodes[0]))
    },
  )

  test.each(names)('%s: a write, a conflict and an expired token', async (name) => {
    const { simulator, records } = appOf(name)
    const [, remoteId = ''] = records.ids()
    const { id } = await recordOf(name, remoteId)
    const rename = async (value: string) =>
      send('PATCH', await recordPath(name, id), { [records.nameField]: value })
    expect((await rename('Written')).status).toBe(200)
    expect(records.nameOf(remoteId)).toBe('Written')
    simulator.clock.advance(1000)
    records.rename(remoteId, 'Theirs')
    expect((await rename('Ours')).status).toBe(409)
    expect(records.nameOf(remoteId)).toBe('Theirs')
    await expect
      .poll(async () => (await recordOf(name, remoteId))[records.nameField], POLL)
      .toBe('Theirs')
    simulator.oauth.expireAccessTokens()
    expect((await rename('Renewed')).status).toBe(200)
    expect(records.nameOf(remoteId)).toBe('Renewed')
    expect((await credentialOf(name)).state).toBe('connected')
  })

  test('one GraphQL query reads all three apps of the end user, right in every field', async () => {
    const lists = [
      { name: 'quickbooks', resource: catalogue.get('accounting/invoices') },
      { name: 'hubspot', resource: catalogue.get('crm/contacts') },
      { name: 'shopify', resource: catalogue.get('commerce/orders') },
    ]
    const { userId } = visit.tenant
    const fields = lists.map(({ resource }) => {
      const list = `${listField(resource.topic)}(userId: "${userId}", first: 100)`
      return `${list} { nodes { ${selectAllFields(resource)} } totalCount }`
    })
    const data = await queryData(`{ ${fields.join(' ')} }`)
    for (const { name, resource } of lists) {
      const { credentialId } = await credentialOf(name)
      const path = `/2024-03/one/${resource.topic}?credentialId=${credentialId}&pageSize=100`
      const { body } = await send('GET', path)
      const { nodes, totalCount } = data[listField(resource.topic)]
      expect(nodes).toEqual(body[resource.plural])
      expect(totalCount).toBe(COUNTS[name as keyof typeof COUNTS])
    }
    // Records that the simulators have created: invoice 5, contact 7 and order 1007.
    const response = await queryData(`{
      accountingInvoices(userId: "${userId}", filter: { totalAmount: 28.85 }) {
        nodes { totalAmount currency invoiceState customer { customerName } credential { app } }
      }
      crmContacts(userId: "${userId}", filter: { lastName: "Last 7" }) {
        nodes { emailAddresses { emailAddress } account { accountName } credential { app } }
      }
      commerceOrders(userId: "${userId}", filter: { orderNumber: "#1007" }) {
        nodes { totalPrice currency orderState lineItems { sku quantity } credential { app } }
      }
    }`)
    expect(response).toEqual({
      accountingInvoices: {
        nodes: [
          {
            totalAmount: 28.85,
            currency: 'USD',
            invoiceState: 'OPEN',
            customer: { customerName: 'Customer 5' },
            credential: { app: 'quickbooks' },
          },
        ],
      },
      crmContacts: {
        nodes: [
          {
            emailAddresses: [{ emailAddress: 'person7@company7.example' }],
            account: { accountName: 'Company 7' },
            credential: { app: 'hubspot' },
          },
        ],
      },
      commerceOrders: {
        nodes: [
          {
            totalPrice: '20.14',
            currency: 'USD',
            orderState: 'OPEN',
            lineItems: [{ sku: 'SHIRT-7', quantity: 2 }],
            credential: { app: 'shopify' },
          },
        ],
      },
    })
  })

  test.each(names)('%s is disconnected in the modal', async (name) => {
    const { connector, simulator, records } = appOf(name)
    const { credentialId, label } = await credentialOf(name)
    void visit.call('authenticate')
    const window = await visit.frame()
    await window.getByRole('button', { name: `${label} ${connector.name}` }).click()
    await click(window, 'Disconnect')
    await waitForHeading(window, `Disconnect ${label}?`)
    await click(window, 'Disconnect')
    await window.getByText(`${label} is disconnected.`).waitFor()
    expect(await credentialOf(name)).toBeUndefined()
    const path = `/2024-03/one/${records.topic}?credentialId=${credentialId}`
    expect((await send('GET', path)).status).toBe(404)
    await expect
      .poll(() => listMessages(name).map(({ type }) => type), POLL)
      .toContain('connection/deleted')
    await visit.waitUntilClosed(visit.page.keyboard.press('Escape'))
    expect(simulator.defects).toEqual([])
  })
})
