// The real Vendure in one process with its state in memory (sql.js): node server.mjs [--port N]
// [--log]. When it serves, it prints one line to stdout: {"url":"http://127.0.0.1:…","apiKey":"…"}.
// Everything else goes to stderr. It exits on SIGTERM, or when its parent process is gone.
//
// Plain .mjs and not .ts: the project's type check must pass where Vendure is not installed.
import { createHash } from 'node:crypto'
import { fstatSync } from 'node:fs'
import { parseArgs } from 'node:util'

const STOP_DEADLINE_MS = 5_000

// First, so that no orphan remains if the parent exits while Vendure loads. Only a pipe
// shows this: the /dev/null of a background job is at its end from the beginning.
const stdin = fstatSync(0)
if (stdin.isFIFO() || stdin.isSocket()) {
  process.stdin.on('close', () => process.exit(0)).resume()
}
if (process.connected) process.on('disconnect', () => process.exit(0))

// Disables outgoing requests: Vendure's telemetry (5 s after the start) and Apollo's reports, if
// they are configured.
process.env.VENDURE_DISABLE_TELEMETRY = 'true'
for (const name of Object.keys(process.env)) {
  if (name.startsWith('APOLLO_')) delete process.env[name]
}

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '0' }, log: { type: 'boolean', default: false } },
})

const vendure = await import('@vendure/core')
const { WebhookPlugin } = await import('./webhook-plugin.mjs')

const superadmin = { identifier: 'superadmin', password: 'superadmin' }

const sha256 = {
  hash: async (text) => createHash('sha256').update(text).digest('hex'),
  check: async (text, hash) => (await sha256.hash(text)) === hash,
}

const app = await vendure.bootstrap({
  apiOptions: { hostname: '127.0.0.1', port: Number(options.port), cors: false },
  authOptions: {
    tokenMethod: ['bearer', 'api-key'],
    superadminCredentials: superadmin,
    requireVerification: false, // a customer who registers can log in without a mailbox
    // bcrypt, the default, takes 200 ms for every root field requested with an API key.
    passwordHashingStrategy: sha256,
    adminApiKeyStrategy: new vendure.RandomBytesApiKeyStrategy({ hashingStrategy: sha256 }),
  },
  dbConnectionOptions: { type: 'sqljs', autoSave: false, synchronize: true, logging: false },
  // The default job queue runs in this process; no scheduled task runs at all.
  plugins: [WebhookPlugin],
  paymentOptions: { paymentMethodHandlers: [vendure.dummyPaymentHandler] },
  logger: stderrLogger(options.log ? ['info', 'warn', 'error', 'fatal'] : ['error', 'fatal']),
})

// Replaces Nest's own handlers, which end the process by a signal.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.removeAllListeners(signal)
  process.once(signal, async () => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
    await app.close()
    process.exit(0)
  })
}

// Any order needs these: a shipping zone, a tax rate, a shipping method and a payment method.
await app.get(vendure.Populator).populateInitialData({
  defaultLanguage: vendure.LanguageCode.en,
  defaultZone: 'Europe',
  countries: [
    { code: 'DE', name: 'Germany', zone: 'Europe' },
    { code: 'FR', name: 'France', zone: 'Europe' },
  ],
  taxRates: [{ name: 'Standard', percentage: 20 }],
  shippingMethods: [{ name: 'Standard shipping', price: 500 }],
  paymentMethods: [
    paymentMethod('Prepaid', true), // settled as soon as it is made
    paymentMethod('Invoice', false), // authorized; settled by the merchant
  ],
  collections: [],
})

const url = `http://127.0.0.1:${app.getHttpServer().address().port}`
const session = await logIn()
await setCurrencies()
process.stdout.write(`${JSON.stringify({ url, apiKey: await createApiKey() })}\n`)

function paymentMethod(name, automaticSettle) {
  const settle = { name: 'automaticSettle', value: String(automaticSettle) }
  return { name, handler: { code: vendure.dummyPaymentHandler.code, arguments: [settle] } }
}

function stderrLogger(levels) {
  const logger = { fatal() {}, error() {}, warn() {}, info() {}, verbose() {}, debug() {} }
  for (const level of levels) {
    logger[level] = (message, context, trace) => {
      process.stderr.write(`${[level, context, message, trace].filter(Boolean).join(' ')}\n`)
    }
  }
  return logger
}

async function admin(query, variables, headers) {
  const response = await fetch(`${url}/admin-api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(`Vendure rejected its own set-up: ${errors[0].message}`)
  return { data, token: response.headers.get('vendure-auth-token') }
}

async function logIn() {
  const { token } = await admin(
    `mutation ($identifier: String!, $password: String!) {
      login(username: $identifier, password: $password) { __typename }
    }`,
    superadmin,
  )
  return { authorization: `Bearer ${token}` }
}

/** A shop in euros that may also price in a currency without a minor unit. */
async function setCurrencies() {
  const { data } = await admin('{ activeChannel { id } }', {}, session)
  const currencies = { defaultCurrencyCode: 'EUR', availableCurrencyCodes: ['EUR', 'JPY'] }
  await admin(
    'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }',
    { input: { id: data.activeChannel.id, ...currencies } },
    session,
  )
}

async function createApiKey() {
  const { data } = await admin(
    '{ roles(options: { filter: { code: { eq: "__super_admin_role__" } } }) { items { id } } }',
    {},
    session,
  )
  const input = {
    roleIds: data.roles.items.map((role) => role.id),
    translations: [{ languageCode: 'en', name: 'Trunkline' }],
  }
  const created = await admin(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey } }',
    { input },
    session,
  )
  return created.data.createApiKey.apiKey
}
