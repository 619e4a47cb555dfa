/** What a new data directory is given, so that the first question has an answer. */
import { generateApiKey } from './api-key.ts'
import type { Connector } from './definition/connector.ts'
import type { Database } from './store/database.ts'
import { saveApiKey } from './store/keys.ts'
import { createCredential, ensureEnvironment, ensureUser } from './store/tenants.ts'

const ORGANISATION = 'Example Inc.'
const USERNAME = 'acme'

export interface FirstStart {
  /** Known only in the run that made it. */
  readonly newKey: string | undefined
  /** The sandbox credentials of the example's end user, oldest first; those just made are to be synced. */
  readonly credentialIds: readonly string[]
  readonly isNew: boolean
}

export interface FirstStartOptions {
  readonly database: Database
  /** The key to use in place of a new one. */
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

/** Makes an organisation, a development key, an end user and sandbox credentials, where they are missing. */
export const prepareFirstStart = async ({
  database,
  developmentKey,
  sandbox,
}: FirstStartOptions): Promise<FirstStart> => {
  const { prisma } = database
  const environmentId = await ensureEnvironment(database, ORGANISATION, 'development')
  await ensureEnvironment(database, ORGANISATION, 'production')
  const hasKey = (await prisma.apiKey.count({ where: { environmentId } })) > 0
  const newKey = hasKey || developmentKey !== undefined ? undefined : generateApiKey('development')
  const key = developmentKey ?? newKey
  if (key !== undefined) await saveApiKey(database, environmentId, key)
  if (sandbox === undefined) return { newKey, credentialIds: [], isNew: !hasKey }

  const userId = await ensureUser(database, environmentId, USERNAME, 'Acme Trading')
  const known = await prisma.credential.findMany({
    where: { userId },
    select: { id: true },
    orderBy: { createdAt: 'asc' },
  })
  if (known.length > 0) return { newKey, credentialIds: known.map(({ id }) => id), isNew: false }
  const credentialIds: string[] = []
  for (const values of sandbox.tenants)
    credentialIds.push(
      await createCredential(database, {
        environmentId,
        userId,
        connector: sandbox.connector,
        values,
      }),
    )
  return { newKey, credentialIds, isNew: true }
}
