/** What a new data directory is given, so that the first question has an answer. */
import type { Connector } from './definition/connector.ts'
import { createCredential } from './store/credentials.ts'
import type { Database } from './store/database.ts'
import { ensureEnvironment } from './store/environments.ts'
import { saveApiKey } from './store/keys.ts'
import { ensureUser } from './store/users.ts'
import type { Vault } from './store/vault.ts'

/** Whose environments they are: one installation serves one integrator. */
export const ORGANISATION = 'Example Inc.'
const USERNAME = 'acme'

export interface FirstStart {
  /** Of development, then of production. */
  readonly environmentIds: readonly [string, string]
  /** The sandbox credentials of the example's end user, oldest first; those just made are to be synced. */
  readonly credentialIds: readonly string[]
  readonly isNew: boolean
}

export interface FirstStartOptions {
  readonly database: Database
  readonly vault: Vault
  /** The development key that the operator has chosen. */
  readonly developmentKey: string | undefined
  /** Without it no example user is made. */
  readonly sandbox:
    | {
        readonly connector: Connector
        /** Tenants of the sandbox app, each with what a credential holds. */
        readonly tenants: readonly Readonly<Record<string, string>>[]
      }
    | undefined
}

/**
 * Makes an organisation, an end user and sandbox credentials, where they are missing.
 * Of several processes that start at once, one makes them and the others find them.
 */
export const prepareFirstStart = (options: FirstStartOptions): Promise<FirstStart> =>
  options.database.prisma.$transaction(async (lock) => {
    await lock.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('first-start', 0))`
    return prepare(options)
  })

const prepare = async ({
  database,
  vault,
  developmentKey,
  sandbox,
}: FirstStartOptions): Promise<FirstStart> => {
  const { prisma } = database
  const environmentId = await ensureEnvironment(database, ORGANISATION, 'development')
  const production = await ensureEnvironment(database, ORGANISATION, 'production')
  const environmentIds = [environmentId, production] as const
  if (developmentKey !== undefined) await saveApiKey(database, environmentId, developmentKey)
  if (sandbox === undefined) return { environmentIds, credentialIds: [], isNew: false }

  const userId = await ensureUser(database, environmentId, USERNAME, 'Acme Trading')
  const known = await prisma.credential.findMany({
    where: { userId },
    select: { id: true },
    orderBy: { createdAt: 'asc' },
  })
  if (known.length > 0) {
    const credentialIds = known.map(({ id }) => id)
    return { environmentIds, credentialIds, isNew: false }
  }
  const credentialIds: string[] = []
  for (const values of sandbox.tenants)
    credentialIds.push(
      await createCredential(database, vault, {
        environmentId,
        userId,
        connector: sandbox.connector,
        values,
      }),
    )
  return { environmentIds, credentialIds, isNew: true }
}
