/** `trunkline keys`: the API keys of an environment. */

import type { Config } from '../process/config.ts'
import { ORGANISATION } from '../process/first-start.ts'
import type { EnvironmentKind } from '../store/accounts/api-key.ts'
import { ensureEnvironment } from '../store/accounts/environments.ts'
import {
  type ApiKeyFacts,
  generateKey,
  listKeys,
  regenerateKey,
  revokeKeyById,
} from '../store/accounts/keys.ts'
import type { Database } from '../store/database/database.ts'
import { withDatabase } from './database.ts'
import { UsageError } from './usage-error.ts'

const formatTime = (date: Date | null, otherwise: string): string =>
  date?.toISOString().replace(/\.\d{3}Z$/, 'Z') ?? otherwise

const formatKey = ({ id, prefix, createdAt, lastUsedAt, revokedAt }: ApiKeyFacts): string =>
  [
    id,
    `${prefix}…`,
    `created ${formatTime(createdAt, '')}`,
    `used ${formatTime(lastUsedAt, 'never')}`,
    ...(revokedAt === null ? [] : [`revoked ${formatTime(revokedAt, '')}`]),
  ].join('  ')

type Action = (database: Database, environmentId: string, id: string) => Promise<void>

const list: Action = async (database, environmentId) => {
  const keys = await listKeys(database, environmentId)
  console.log(keys.length === 0 ? 'No keys.' : keys.map(formatKey).join('\n'))
}

const generate: Action = async (database, environmentId) => {
  const { id, key } = await generateKey(database, { environmentId })
  console.log(`${key}\n(shown only now; ${id})`)
}

const regenerate: Action = async (database, environmentId) => {
  const { id, key, revoked } = await regenerateKey(database, { environmentId })
  console.log(`${key}\n(shown only now; ${id}; revoked: ${revoked})`)
}

const revoke: Action = async (database, environmentId, id) => {
  if (!(await revokeKeyById(database, environmentId, id)))
    throw new Error(
      `The environment has no active key with the id ${id}. List the keys with \`trunkline keys list\`.`,
    )
  console.log(`${id} is revoked.`)
}

const actions: Readonly<Record<string, { readonly run: Action; readonly takesId: boolean }>> = {
  list: { run: list, takesId: false },
  generate: { run: generate, takesId: false },
  regenerate: { run: regenerate, takesId: false },
  revoke: { run: revoke, takesId: true },
}

const isKind = (word: string | undefined): word is EnvironmentKind =>
  word === 'development' || word === 'production'

/** @throws UsageError, Error */
export const runKeysCommand = async (
  config: Config,
  [name = '', kind, id = '', ...rest]: readonly string[],
): Promise<void> => {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined)
    throw new UsageError(`keys: expected ${Object.keys(actions).join(', ')}, not "${name}".`)
  if (!isKind(kind))
    throw new UsageError(`keys ${name}: expected development or production, not "${kind ?? ''}".`)
  if (action.takesId !== (id !== '') || rest.length > 0)
    throw new UsageError(
      `keys ${name} ${kind}: expected ${action.takesId ? 'the id of one key' : 'no further arguments'}.`,
    )
  await withDatabase(config, async (database) =>
    action.run(database, await ensureEnvironment(database, ORGANISATION, kind), id),
  )
}
