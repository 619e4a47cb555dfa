/** Adding a resource: one file in `src/resources`, then the commands that the README names. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openServices, type Services } from '../process/service-process.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { createScratchCopy, type ScratchCopy } from '../support/scratch-copy.ts'

const ROOT = join(import.meta.dirname, '../..')
const TIMEOUT_MS = 600_000 // 40 s when idle: a type check, a run of Vitest and a first start

const CAMPAIGN = `import {
  boolean,
  date,
  decimal,
  defineShape,
  enumeration,
  integer,
  list,
  reference,
  references,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'

const channel = defineShape({
  name: 'CampaignChannel',
  doc: 'A channel of a campaign.',
  fields: {
    channelName: text('Name of the channel.', { required: true }),
    cost: decimal('Cost of the channel.'),
    variantId: reference('commerce/products.variants', 'Variant that the channel advertises.'),
  },
})

export const campaign = defineResource({
  name: 'campaign',
  plural: 'campaigns',
  category: 'crm',
  doc: 'A marketing campaign.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    campaignName: text('Name of the campaign.', { required: true }),
    campaignStatus: enumeration('Status of the campaign.', {
      PLANNED: 'It has not begun.',
      RUNNING: 'It has begun.',
      ENDED: 'It has ended.',
    }),
    campaignOwner: reference('crm/users', 'User who owns the campaign.', { as: 'owner' }),
    accountIds: references('crm/accounts', 'Accounts that the campaign addresses.'),
    // A name that every record of the sandbox uses for something else.
    version: integer('Version of the plan.'),
    budget: decimal('Budget of the campaign.'),
    currency: currency('Currency of the budget.'),
    isPublic: boolean('Whether the campaign is public.'),
    startDate: date('First day of the campaign.'),
    lastSentAt: timestamp('Time of the last message.'),
    tags: texts('Tags of the campaign.'),
    channels: list(channel, 'Channels of the campaign.'),
  },
})
`

/** Suites that enumerate the resources. */
const SUITES = [
  'test/generated/openapi.test.ts',
  'test/operations/webhooks.test.ts',
  'test/read/parity.test.ts',
  'test/sandbox/dataset.test.ts',
  'test/sandbox/mapping.test.ts',
  'test/sandbox/writes.test.ts',
]

let copy: ScratchCopy
let database: TestDatabase
let services: Services
beforeAll(async () => {
  copy = await createScratchCopy(inject('testDatabases').serverUrl)
  database = await createEmptyDatabase()
  services = await openServices(database.url, join(copy.path, 'src/cli.ts'))
  writeFileSync(join(copy.path, 'src/resources/crm/campaign.ts'), CAMPAIGN)
  await copy.npm('run', '-s', 'codegen')
  await copy.npm('run', '-s', 'migration', 'new', 'campaigns')
}, TIMEOUT_MS)
afterAll(async () => {
  await services.close()
  await database.drop()
  copy.remove()
})

test('needs one table, and no change of the files that are written by hand', async () => {
  const listMigrations = (root: string) => readdirSync(join(root, 'prisma/migrations'))
  const known = new Set(listMigrations(ROOT))
  const [name = '', ...others] = listMigrations(copy.path).filter((each) => !known.has(each))
  expect(others).toEqual([])
  const sql = readFileSync(join(copy.path, 'prisma/migrations', name, 'migration.sql'), 'utf8')
  expect(sql.match(/CREATE TABLE "(\w+)"/g)).toEqual(['CREATE TABLE "crm_campaigns"'])
  expect(readFileSync(join(copy.path, 'README.md'), 'utf8')).toContain('crm `accounts campaigns')
})

test('passes the checks: types, lint and generated files', { timeout: TIMEOUT_MS }, () =>
  copy.npm('run', '-s', 'check'),
)

test('passes the suites that enumerate resources', { timeout: TIMEOUT_MS }, () =>
  copy.npm('test', '--', ...SUITES),
)

test('serves it on a sandbox credential', { timeout: TIMEOUT_MS }, async () => {
  const { address } = await services.start('all')
  const { data: users } = await services.call(address, '/2024-03/one/users')
  const { data: credentials } = await services.call(
    address,
    `/2024-03/users/${users[0].userId}/credentials`,
  )
  const [{ credentialId }] = credentials
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const url = `/2024-03/one/crm/campaigns${path}?credentialId=${credentialId}`
    const { status, text } = await services.send(address, method, url, body)
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const queryGraphql = async (query: string, variables: object) => {
    const { data, errors } = await services.call(address, '/graphql', { query, variables })
    expect(errors).toBe(undefined)
    return data
  }

  const { campaigns } = (await send('GET', '')).body
  expect(campaigns.length).toBeGreaterThan(4)
  const createdRecord = await send('POST', '', {
    campaignName: 'Spring',
    campaignStatus: 'PLANNED',
    campaignOwner: 'mem_0001',
    version: 7,
    budget: '1200.50',
  })
  expect(createdRecord.status).toBe(200)
  const { id } = createdRecord.body.campaign
  expect(createdRecord.body.campaign).toMatchObject({ version: 7, budget: '1200.50', tags: [] })
  const changed = await send('PUT', `/${id}`, { campaignName: 'Summer', tags: ['sun'] })
  expect(changed.body.campaign).toMatchObject({ campaignName: 'Summer', campaignStatus: 'PLANNED' })

  const read = await queryGraphql(
    `query ($credentialId: ID!, $id: ID!) {
      crmCampaigns(credentialId: $credentialId, filter: { campaignStatus: PLANNED }) { totalCount }
      crmCampaign(credentialId: $credentialId, id: $id) { campaignName tags owner { remoteId name } }
    }`,
    { credentialId, id },
  )
  expect(read.crmCampaign).toMatchObject({ campaignName: 'Summer', tags: ['sun'] })
  expect(read.crmCampaign.owner.remoteId).toBe('mem_0001')
  const { createCrmCampaign: created } = await queryGraphql(
    `mutation ($credentialId: ID!) {
      createCrmCampaign(credentialId: $credentialId, input: { campaignName: "Autumn" }) { campaign { id } }
    }`,
    { credentialId },
  )
  const other = created.campaign
  const { updateCrmCampaign: running } = await queryGraphql(
    `mutation ($credentialId: ID!, $id: ID!) {
      updateCrmCampaign(
        credentialId: $credentialId
        id: $id
        input: { campaignName: "Autumn", campaignStatus: RUNNING }
      ) { campaign { campaignName campaignStatus } }
    }`,
    { credentialId, id: other.id },
  )
  expect(running.campaign).toEqual({ campaignName: 'Autumn', campaignStatus: 'RUNNING' })
  await queryGraphql(
    `mutation ($credentialId: ID!, $id: ID!) {
      deleteCrmCampaign(credentialId: $credentialId, id: $id) { campaign { remoteDeleted } }
    }`,
    { credentialId, id: other.id },
  )
  expect((await send('DELETE', `/${id}`)).status).toBe(200)
  expect((await send('GET', '')).body.campaigns).toHaveLength(campaigns.length)
})
