/**
 * Secrets are returned once, to their owner only: every operation succeeds, is rejected and fails, over both
 * transports, with an app that echoes its input; then every response, the log and all tables are searched.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { dumpTables } from '../support/dump.ts'
import { createKey } from '../support/keys.ts'
import { documentOf, type Input, operationOf, restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { startTraced } from './traced-service.ts'

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
  // Every response repeats the API key of the request.
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

/** Whether the text contains the secret, plain or encoded. */
const containsSecret = (text: string, secret: string): boolean =>
  [secret, Buffer.from(secret).toString('hex'), btoa(secret).slice(2, -4)].some((form) =>
    text.includes(form),
  )

test('no secret is anywhere but in the responses that return it', { timeout: 90_000 }, async () => {
  const { database } = service
  const { prisma } = database
  const key = await createKey(database, tenant.environmentId)
  const { trunkline, logFile } = await startTraced(service.url, dataDir)
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`

  /** Text of the responses that must not contain a secret, and the secrets so far. */
  let responses = ''
  const secrets = new Set([APP_KEY, key, TEST_KEYS.split(':')[1] ?? ''])

  let number = 0
  const send = async (bearer: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(trunkline.address + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'idempotency-key': `key-${++number}`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text: JSON.stringify([...response.headers]) + text,
      body: text,
    }
  }

  /** Calls an operation over REST and over GraphQL. */
  const callOverBoth = async (bearer: string, name: string, input: Input) => {
    const operation = operationOf(name)
    const { method, url, body } = restRequest(operation, input)
    const inBody = new Set(Object.keys(operation.body ?? {}))
    const split = (isIn: boolean) =>
      Object.fromEntries(Object.entries(input).filter(([field]) => inBody.has(field) === isIn))
    const variables = operation.body ? { ...split(false), input: split(true) } : input
    return [
      await send(bearer, method, url, body),
      await send(bearer, 'POST', '/graphql', { query: documentOf(operation), variables }),
    ] as const
  }

  /** Calls an operation that returns a secret, and adds the secret to the search. */
  const expectSecret = async (name: string, values: Input, field: string): Promise<void> => {
    for (const { status, body } of await callOverBoth(key, name, values)) {
      expect(status, `${name} ${body}`).toBe(200)
      const secret = new RegExp(`"${field}":"([^"]+)"`).exec(body)?.[1]
      if (secret === undefined) throw new Error(`${name} returned no secret: ${body}`)
      secrets.add(secret)
    }
  }

  const sendRest = async (name: string, input: Input) => {
    const { method, url, body } = restRequest(operationOf(name), input)
    const result = await send(key, method, url, body)
    responses += result.text
    return JSON.parse(result.body)
  }

  const { userId } = await sendRest('createUser', { username: 'canary' })
  const credentialIds: string[] = []
  for (const behavior of ['refusing', 'broken']) {
    const credential = { url: `${origin}/${behavior}`, apiKey: APP_KEY }
    const { credentialId } = await sendRest('createCredential', {
      userId,
      app: 'vendure',
      credential,
    })
    credentialIds.push(credentialId)
  }
  const { subscription } = await sendRest('createWebhook', {
    address: 'https://hooks.example.com/',
    topic: ['crm/accounts'],
  })
  const { subscriptionId } = subscription
  await expectSecret('webhookSecret', { subscriptionId }, 'secret')
  const { integration } = await sendRest(
    'defineIntegration',
    operationOf('defineIntegration').example.input,
  )
  const { integrationId } = integration
  for (const name of ['integrationSecret', 'rotateIntegrationSecret'])
    await expectSecret(name, { integrationId }, 'secret')
  await expectSecret('userToken', { userId }, 'token')
  await expectSecret('generateApiKey', {}, 'key')
  const [token = ''] = [...secrets].filter((secret) => secret.split('.').length === 3)
  expect(secrets.size).toBeGreaterThanOrEqual(10)

  const secretOperations = [
    'webhookSecret',
    'integrationSecret',
    'rotateIntegrationSecret',
    'userToken',
    'generateApiKey',
    'regenerateApiKey',
  ]
  /** Calls an operation that returns no secret, with its documented example and with input that must not exist. */
  const callAll = async (): Promise<void> => {
    for (const { name, example, callers } of operations) {
      if (secretOperations.includes(name)) continue
      const invalidInputs = Object.keys(example.input).map((field) => ({
        ...example.input,
        [field]: [],
      }))
      const bearers = callers.includes('user') ? [key, token] : [key]
      for (const bearer of bearers)
        for (const input of [example.input, ...invalidInputs])
          for (const { text } of await callOverBoth(bearer, name, input)) responses += text
    }
    const order = { lineItems: [{ productId: '1', variantId: '1', quantity: 1 }] }
    for (const credentialId of credentialIds)
      for (const [path, body] of [
        ['orders', order],
        ['products', { productName: 'Lamp', variants: [{ title: 'Red', price: 20 }] }],
        ['customers', { email: 'a@b.example' }],
      ] as const) {
        const url = `/2024-03/one/commerce/${path}?credentialId=${credentialId}`
        responses += (await send(key, 'POST', url, body)).text
        responses += (await send(key, 'GET', url)).text
      }
  }
  // Sends each secret where the API expects an id.
  for (const secret of [...secrets].filter((text) => /^(tl_dev_|whsec_|eyJ)/.test(text)))
    for (const path of ['api-keys', 'integrations', 'one/users', 'one/webhooks', 'none'])
      for (const end of ['', `?credentialId=${secret}`])
        responses += (await send(key, 'DELETE', `/2024-03/${path}/${secret}${end}`)).text
  await callAll()
  for (const table of [...BROKEN, ...MORE_BROKEN])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  await callAll()
  for (const table of [...BROKEN, ...MORE_BROKEN])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table}_away RENAME TO ${table}`)
  await trunkline.stop()

  const log = await readFile(logFile, 'utf8')
  const dump = await dumpTables(database)
  // The searched texts contain the errors and the stored values, so the search is meaningful.
  expect(log).toContain('unexpected error')
  expect(responses).toContain('"INTERNAL"')
  expect(responses).toContain('may not do this')
  expect(responses).toMatch(/\[redacted\]/)
  expect(containsSecret(`{"${APP_KEY}"}`, APP_KEY)).toBe(true)
  expect(dump).toContain('public.idempotent_requests')
  expect(await prisma.idempotentRequest.count()).toBeGreaterThan(20)
  for (const secret of secrets) {
    // A token is identified by its signature, a key by the part after its kind.
    const revealing = secret.split('.').at(-1)?.slice(-40) ?? secret
    for (const [where, text] of Object.entries({ answers: responses, log, dump }))
      expect(containsSecret(text, revealing), `${revealing.slice(0, 8)}… in the ${where}`).toBe(
        false,
      )
  }
  // No response reveals internals either.
  for (const insides of ['node_modules', 'prisma', '.ts:', 'SELECT ', 'relation \\"', '/work/'])
    expect(responses).not.toContain(insides)
})
