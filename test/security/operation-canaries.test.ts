/**
 * What is secret is told once, to whom it is for: every operation is done, refused and broken, over both
 * faces, with an app that repeats what it is sent; then every answer, the log and all tables are searched.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { generateApiKey } from '../../src/api-key.ts'
import { readConfig } from '../../src/config.ts'
import { startTrunkline } from '../../src/main.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { dumpTables } from '../support/dump.ts'
import { documentOf, type Given, operationOf, restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { TEST_KEYS } from '../support/vault.ts'

const APP_KEY = 'canary-app-key-5e0c77a1'
const BROKEN = ['end_users', 'credentials', 'integrations', 'installations'] as const
const MORE_BROKEN = ['webhook_subscriptions', 'commerce_orders', 'commerce_products'] as const

let service: TestService
let tenant: Tenant
let app: Server
let dataDir: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-canaries-'))
  // Repeats its key in whatever it answers.
  app = createServer((request, response) => {
    const message = `the key ${request.headers['vendure-api-key']} may not do this`
    const isServerError = request.url?.startsWith('/broken')
    response.writeHead(isServerError ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ errors: [{ message, extensions: { code: 'FORBIDDEN' } }] }))
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  app.close()
  await service.stop()
  await rm(dataDir, { recursive: true })
})

/** Whether the text holds the secret, as it is or in another writing. */
const holds = (text: string, secret: string): boolean =>
  [secret, Buffer.from(secret).toString('hex'), btoa(secret).slice(2, -4)].some((form) =>
    text.includes(form),
  )

test('0 secrets beside the answers that they are for', { timeout: 90_000 }, async () => {
  const { database } = service
  const { prisma } = database
  const logFile = join(dataDir, 'trunkline.log')
  const key = generateApiKey('development')
  await saveApiKey(database, tenant.environmentId, key)
  const trunkline = await startTrunkline(
    readConfig({
      ...{ DATABASE_URL: service.url, DATA_DIR: dataDir, LOG_FILE: logFile, LOG_LEVEL: 'trace' },
      ...{ TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS, PORT: '0', SANDBOX: 'false' },
      ALLOW_PRIVATE_ADDRESSES: 'true',
    }),
  )
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`

  /** Answers that hold none of the secrets, and the secrets so far. */
  let answers = ''
  const secrets = new Set([APP_KEY, key, TEST_KEYS.split(':')[1] ?? ''])

  let number = 0
  const send = async (bearer: string, method: string, path: string, body?: unknown) => {
    const answer = await fetch(trunkline.address + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'idempotency-key': `key-${++number}`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text: JSON.stringify([...answer.headers]) + text, body: text }
  }

  /** An operation over REST and over GraphQL. */
  const both = async (bearer: string, name: string, given: Given) => {
    const operation = operationOf(name)
    const { method, url, body } = restRequest(operation, given)
    const inBody = new Set(Object.keys(operation.body ?? {}))
    const split = (isIn: boolean) =>
      Object.fromEntries(Object.entries(given).filter(([field]) => inBody.has(field) === isIn))
    const variables = operation.body ? { ...split(false), input: split(true) } : given
    return [
      await send(bearer, method, url, body),
      await send(bearer, 'POST', '/graphql', { query: documentOf(operation), variables }),
    ] as const
  }

  /** Done where it answers with a secret: the answer is for its caller, and the secret for the search. */
  const tellsSecret = async (name: string, given: Given, field: string): Promise<void> => {
    for (const { status, body } of await both(key, name, given)) {
      expect(status, `${name} ${body}`).toBe(200)
      const secret = new RegExp(`"${field}":"([^"]+)"`).exec(body)?.[1]
      if (secret === undefined) throw new Error(`${name} told nothing: ${body}`)
      secrets.add(secret)
    }
  }

  const rest = async (name: string, given: Given) => {
    const { method, url, body } = restRequest(operationOf(name), given)
    const answer = await send(key, method, url, body)
    answers += answer.text
    return JSON.parse(answer.body)
  }

  const { userId } = await rest('createUser', { username: 'canary' })
  const credentialIds: string[] = []
  for (const way of ['refusing', 'broken']) {
    const credential = { url: `${origin}/${way}`, apiKey: APP_KEY }
    const { credentialId } = await rest('createCredential', { userId, app: 'vendure', credential })
    credentialIds.push(credentialId)
  }
  const { subscription } = await rest('createWebhook', {
    ...{ address: 'https://hooks.example.com/', topic: ['crm/accounts'] },
  })
  const { subscriptionId } = subscription
  // REST names the answer by its key, GraphQL by the operation.
  await tellsSecret('webhookSecret', { subscriptionId }, '(?:secret|webhookSecret)')
  const { integration } = await rest(
    'defineIntegration',
    operationOf('defineIntegration').example.given,
  )
  const { integrationId } = integration
  for (const name of ['integrationSecret', 'rotateIntegrationSecret'])
    await tellsSecret(name, { integrationId }, `(?:secret|${name})`)
  await tellsSecret('userToken', { userId }, '(?:token|userToken)')
  await tellsSecret('generateApiKey', {}, 'key')
  const [token = ''] = [...secrets].filter((secret) => secret.split('.').length === 3)
  expect(secrets.size).toBeGreaterThanOrEqual(10)

  const tellers = [
    ...['webhookSecret', 'integrationSecret', 'rotateIntegrationSecret'],
    ...['userToken', 'generateApiKey', 'regenerateApiKey'],
  ]
  /** Every operation that tells no secret, as it is in the documentation and with what must not be there. */
  const askAll = async (): Promise<void> => {
    for (const { name, example, callers } of operations) {
      if (tellers.includes(name)) continue
      const odd = Object.keys(example.given).map((field) => ({ ...example.given, [field]: [] }))
      const bearers = callers.includes('user') ? [key, token] : [key]
      for (const bearer of bearers)
        for (const given of [example.given, ...odd])
          for (const { text } of await both(bearer, name, given)) answers += text
    }
    const order = { lineItems: [{ productId: '1', variantId: '1', quantity: 1 }] }
    for (const credentialId of credentialIds)
      for (const [path, body] of [
        ['orders', order],
        ['products', { productName: 'Lamp', variants: [{ title: 'Red', price: 20 }] }],
        ['customers', { email: 'a@b.example' }],
      ] as const) {
        const url = `/2024-03/one/commerce/${path}?credentialId=${credentialId}`
        answers += (await send(key, 'POST', url, body)).text
        answers += (await send(key, 'GET', url)).text
      }
  }
  // Those of ours, where ids belong.
  for (const secret of [...secrets].filter((one) => /^(tl_dev_|whsec_|eyJ)/.test(one)))
    for (const path of ['api-keys', 'integrations', 'one/users', 'one/webhooks', 'none'])
      for (const end of ['', `?credentialId=${secret}`])
        answers += (await send(key, 'DELETE', `/2024-03/${path}/${secret}${end}`)).text
  await askAll()
  for (const table of [...BROKEN, ...MORE_BROKEN])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  await askAll()
  for (const table of [...BROKEN, ...MORE_BROKEN])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table}_away RENAME TO ${table}`)
  await trunkline.stop()

  const log = await readFile(logFile, 'utf8')
  const dump = await dumpTables(database)
  // They are what they are taken for: the failures and what was kept are in them.
  expect(log).toContain('unexpected failure')
  expect(answers).toContain('"INTERNAL"')
  expect(answers).toContain('may not do this')
  expect(answers).toMatch(/\[redacted\]/)
  expect(holds(`{"${APP_KEY}"}`, APP_KEY)).toBe(true)
  expect(dump).toContain('public.idempotent_requests')
  expect(await prisma.idempotentRequest.count()).toBeGreaterThan(20)
  for (const secret of secrets) {
    // A token is known by its signature, a key by what follows its kind.
    const telling = secret.split('.').at(-1)?.slice(-40) ?? secret
    for (const [where, text] of Object.entries({ answers, log, dump }))
      expect(holds(text, telling), `${telling.slice(0, 8)}… in the ${where}`).toBe(false)
  }
  // Nor does anything that is told betray what is inside.
  for (const insides of ['node_modules', 'prisma', '.ts:', 'SELECT ', 'relation \\"', '/work/'])
    expect(answers).not.toContain(insides)
})
