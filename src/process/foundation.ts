/** What every process stands on, whatever its role: the database, its secrets, and who may call. */
import type { Logger } from 'pino'
import { createUserTokens, type UserTokens } from '../api/tokens.ts'
import type { Config } from '../config.ts'
import type { Connector } from '../definition/connector.ts'
import { type FirstStart, prepareFirstStart } from '../first-start.ts'
import { catalogue, connectors } from '../generated/registry.ts'
import { type AppClient, createAppClient } from '../outbound/http.ts'
import type { RecordWriter } from '../query/write-request.ts'
import { createSandboxApp, SANDBOX_ORIGIN } from '../sandbox/app.ts'
import { type Access, createAccess } from '../store/access.ts'
import { type ChangeFeed, createChangeFeed } from '../store/change-feed.ts'
import { readCredential } from '../store/credentials.ts'
import { type Database, openAnswers, openDatabase } from '../store/database.ts'
import { startEmbeddedDatabase } from '../store/embedded.ts'
import { loadEncryptionKeys } from '../store/encryption-keys.ts'
import { createKeyUses } from '../store/key-uses.ts'
import { applyMigrations } from '../store/migrate.ts'
import { createNotices, type Notices } from '../store/notices.ts'
import { openVault } from '../store/open-vault.ts'
import { createSigningKeys } from '../store/signing-keys.ts'
import type { Vault } from '../store/vault.ts'
import { createCredentialCheck } from '../sync/check-credential.ts'
import { createPassthrough } from '../sync/passthrough.ts'
import { createPush } from '../sync/push.ts'
import type { Shutdown } from './shutdown.ts'

export interface Foundation {
  readonly config: Config
  readonly log: Logger
  readonly shutdown: Shutdown
  readonly database: Database
  /** The same, for what a caller waits for: within limits. */
  readonly answers: Database
  readonly notices: Notices
  readonly vault: Vault
  readonly access: Access
  readonly tokens: UserTokens
  readonly feed: ChangeFeed
  readonly appClient: AppClient
  readonly writer: RecordWriter
  readonly passthrough: ReturnType<typeof createPassthrough>
  readonly checkCredential: ReturnType<typeof createCredentialCheck>
  /** The apps that can be reached from here, by name. */
  readonly connectors: ReadonlyMap<string, Connector>
  readonly firstStart: FirstStart
  /** The file of encryption keys that this start made. */
  readonly newKeyFile: string | undefined
}

/** Companies that the example user's two credentials belong to. */
const SANDBOX_TENANTS = ['acme', 'acme-outlet']

const openSandbox = async (database: Database) => {
  const app = createSandboxApp({ database })
  const tenants = await Promise.all(SANDBOX_TENANTS.map((tenant) => app.createTenant(tenant)))
  const connector = connectors.get('sandbox')
  if (connector === undefined) throw new Error('The sandbox has no connector.')
  return { connector, handle: app.handle, tenants: tenants.map((access) => ({ ...access })) }
}

/** @throws Error that says what is in the way */
export const layFoundation = async (
  config: Config,
  log: Logger,
  shutdown: Shutdown,
): Promise<Foundation> => {
  const { keys, newFile: newKeyFile } = await loadEncryptionKeys(config)
  if (newKeyFile !== undefined)
    log.warn(
      { file: newKeyFile },
      'an encryption key was made: without a copy of it, what it seals is lost',
    )
  let url = config.databaseUrl
  if (url === undefined) {
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log })
    shutdown.add('embedded database', () => embedded.stop(), { outlives: true })
    url = embedded.url
  }
  await applyMigrations(url, { log })

  const watched = {
    onConnectionError: (error: Error) => log.warn({ err: error }, 'a database connection broke'),
    onCrowded: (waiting: number) =>
      log.warn({ waiting }, 'statements wait for a connection to the database'),
  }
  const database = openDatabase({ url, ...watched })
  shutdown.add('database', () => database.stop())
  const answers = openAnswers(database, watched)
  shutdown.add('database of answers', () => answers.stop())
  const vault = await openVault(database, keys, log)

  // What listens is made before the announcements begin.
  const notices = createNotices(url)
  const keyUses = createKeyUses({
    database,
    onFailure: (error) => log.warn({ err: error }, 'the last uses of keys were not written'),
  })
  const access = createAccess(answers, notices, keyUses.note)
  const signingKeys = createSigningKeys({ database, vault, notices })
  const feed = createChangeFeed(notices)
  shutdown.add('notices', () => notices.stop())
  await notices.start()
  feed.start()
  shutdown.add('change feed', async () => feed.stop())
  keyUses.start()
  shutdown.add('key uses', () => keyUses.stop())
  // Made now, so that no request waits for it, and what cannot be opened shows at the start.
  await signingKeys.current()
  const tokens = createUserTokens({ signingKeys, lifetimeSeconds: config.userTokenSeconds })

  const sandbox = config.sandbox ? await openSandbox(database) : undefined
  const firstStart = await prepareFirstStart({
    ...{ database, vault, sandbox },
    developmentKey: config.developmentKey,
  })
  const appClient = createAppClient({
    localApps: new Map(sandbox ? [[SANDBOX_ORIGIN, sandbox.handle]] : []),
    allowPrivateAddresses: config.allowPrivateAddresses,
  })
  shutdown.add('app client', () => appClient.stop())
  // Without the sandbox app there is nothing that its connector could reach.
  const offered = new Map([...connectors].filter(([app]) => app !== 'sandbox' || config.sandbox))
  const road = {
    ...{ connectors: offered, appClient },
    loadCredential: (id: string) => readCredential(database, vault, id),
  }
  const writer = createPush({ database, catalogue, ...road })
  const passthrough = createPassthrough(road)
  const checkCredential = createCredentialCheck(road)
  return {
    ...{ config, log, shutdown, database, answers, notices, vault, access, tokens, feed },
    ...{ appClient, writer },
    ...{ passthrough, checkCredential, connectors: offered, firstStart, newKeyFile },
  }
}
