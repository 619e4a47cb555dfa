/** `trunkline oauth-clients`: the OAuth clients of an environment. */
import { text } from 'node:stream/consumers'
import type { Config } from '../process/config.ts'
import { ORGANISATION } from '../process/first-start.ts'
import { listOAuthApps } from '../process/oauth-apps.ts'
import type { EnvironmentKind } from '../store/accounts/api-key.ts'
import { ensureEnvironment } from '../store/accounts/environments.ts'
import {
  deleteOAuthClient,
  listOAuthClients,
  type OAuthClientSummary,
  setOAuthClient,
} from '../store/accounts/oauth-clients.ts'
import type { Database } from '../store/database/database.ts'
import { loadEncryptionKeys } from '../store/secrets/encryption-keys.ts'
import { createVault } from '../store/secrets/vault.ts'
import { withDatabase } from './database.ts'
import { UsageError } from './usage-error.ts'

const SECRET_VARIABLE = 'OAUTH_CLIENT_SECRET'
/** The secret of the app's webhooks. */
const WEBHOOK_SECRET_VARIABLE = 'OAUTH_WEBHOOK_SECRET'

/** The secret, which is never an argument: other users of the machine can read those. @throws UsageError */
const readSecret = async (): Promise<string> => {
  const secret = process.env[SECRET_VARIABLE] ?? (await text(process.stdin)).trim()
  if (secret === '')
    throw new UsageError(
      `oauth-clients set: expected the client's secret on standard input or in ${SECRET_VARIABLE}.`,
    )
  return secret
}

const formatClient = ({
  app,
  clientId,
  scopes,
  hasWebhookSecret,
  updatedAt,
}: OAuthClientSummary): string =>
  [
    app,
    clientId,
    `set ${updatedAt.toISOString().replace(/\.\d{3}Z$/, 'Z')}`,
    ...(hasWebhookSecret ? ['with a webhook secret'] : []),
    ...(scopes === null ? [] : [`scopes ${scopes.join(' ')}`]),
  ].join('  ')

interface Call {
  readonly config: Config
  readonly database: Database
  readonly environmentId: string
}

const list = async ({ database, environmentId }: Call): Promise<void> => {
  const clients = await listOAuthClients(database, environmentId)
  console.log(clients.length === 0 ? 'No OAuth clients.' : clients.map(formatClient).join('\n'))
}

const set = async (
  { config, database, environmentId }: Call,
  [app = '', clientId = '', ...scopes]: readonly string[],
): Promise<void> => {
  const apps = listOAuthApps()
  if (!apps.includes(app))
    throw new UsageError(
      `oauth-clients set: expected an app that uses OAuth (${apps.join(', ')}), not "${app}".`,
    )
  const { keys } = await loadEncryptionKeys(config)
  await setOAuthClient(
    database,
    createVault(keys),
    { environmentId, app },
    {
      clientId,
      clientSecret: await readSecret(),
      webhookSecret: process.env[WEBHOOK_SECRET_VARIABLE] || null,
      scopes: scopes.length === 0 ? null : scopes,
    },
  )
  console.log(`The OAuth client of ${app} is set.`)
}

const remove = async (
  { database, environmentId }: Call,
  [app = '']: readonly string[],
): Promise<void> => {
  if (!(await deleteOAuthClient(database, { environmentId, app })))
    throw new Error(`The environment has no OAuth client for ${app}.`)
  console.log(`The OAuth client of ${app} is deleted.`)
}

interface Action {
  run(call: Call, rest: readonly string[]): Promise<void>
  /** The arguments after the environment, at least and at most. */
  readonly takes: readonly [number, number]
  readonly expected: string
}

const actions: Readonly<Record<string, Action>> = {
  list: { run: list, takes: [0, 0], expected: 'no further arguments' },
  set: { run: set, takes: [2, 102], expected: 'an app, a client id and scopes' },
  delete: { run: remove, takes: [1, 1], expected: 'an app' },
}

const isKind = (word: string | undefined): word is EnvironmentKind =>
  word === 'development' || word === 'production'

/** @throws UsageError, Error */
export const runOAuthClientsCommand = async (
  config: Config,
  [name = '', kind, ...rest]: readonly string[],
): Promise<void> => {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined)
    throw new UsageError(
      `oauth-clients: expected ${Object.keys(actions).join(', ')}, not "${name}".`,
    )
  if (!isKind(kind))
    throw new UsageError(
      `oauth-clients ${name}: expected development or production, not "${kind ?? ''}".`,
    )
  const [least, most] = action.takes
  if (rest.length < least || rest.length > most)
    throw new UsageError(`oauth-clients ${name} ${kind}: expected ${action.expected}.`)
  await withDatabase(config, async (database) => {
    const environmentId = await ensureEnvironment(database, ORGANISATION, kind)
    await action.run({ config, database, environmentId }, rest)
  })
}
