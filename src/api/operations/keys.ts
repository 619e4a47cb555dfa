/** API keys of an environment, managed by the integrator's backend. */
import {
  defineShape,
  integer,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import {
  type ApiKeyFacts,
  generateKey,
  type KeyRequest,
  listKeys,
  regenerateKey,
  revokeKeyById,
} from '../../store/accounts/keys.ts'
import { type Caller, requireKey } from '../auth/caller.ts'
import { environment } from '../enumerations.ts'
import { defineOperation, required } from '../operation.ts'

const tag = 'API keys'
const EXAMPLE_KEY = 'f2c6a9d8-7b14-4359-8e6d-1a0b5c3f7e92'

const keyId = required(reference('api-keys', 'The id of the key; it is not the secret.'))
const key = required(text('The secret key. It is returned only once.'))

const apiKey = defineShape({
  name: 'ApiKey',
  doc: 'An API key, without the secret.',
  fields: {
    keyId,
    prefix: required(text('The first characters of the key.')),
    kind: required(environment('The environment of the key.')),
    createdAt: required(timestamp('When the key was created.')),
    lastUsedAt: timestamp('When the key was last used, accurate to about a minute; null: never.'),
    revokedAt: timestamp('When the key was revoked; null: the key is valid.'),
  },
})

const newKey = defineShape({
  name: 'NewApiKey',
  doc: 'A new API key.',
  fields: { keyId, key },
})

const regeneratedKey = defineShape({
  name: 'RegeneratedApiKey',
  doc: 'A new API key that replaces all others of the environment.',
  fields: { keyId, key, revoked: required(integer('The number of revoked keys.')) },
})

const exampleFacts = {
  keyId: EXAMPLE_KEY,
  prefix: 'tl_dev_3f9a1c70',
  kind: 'development',
  createdAt: '2026-03-02T09:30:00.000Z',
  lastUsedAt: '2026-03-02T09:41:00.000Z',
  revokedAt: null,
}

const exampleKey = { keyId: EXAMPLE_KEY, key: 'tl_dev_…' }

const requestOf = (caller: Caller): KeyRequest => ({
  environmentId: caller.environmentId,
  askedBy: requireKey(caller).keyId,
})

const describe = ({ id, prefix, kind, createdAt, lastUsedAt, revokedAt }: ApiKeyFacts) => ({
  keyId: id,
  prefix,
  kind,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
})

export const keyOperations = [
  defineOperation({
    name: 'apiKeys',
    summary: 'List API keys',
    doc: 'Returns all API keys of the environment, including revoked ones, oldest first. The secret keys themselves are never returned.',
    tag,
    rest: { method: 'GET', path: '/2024-03/api-keys' },
    callers: ['key'],
    response: { key: 'data', value: list(apiKey, 'The keys.') },
    example: { input: {}, result: [exampleFacts] },
    run: async ({ database, caller }) =>
      (await listKeys(database, caller.environmentId)).map(describe),
  }),
  defineOperation({
    name: 'generateApiKey',
    summary: 'Create an API key',
    doc: 'Creates an API key. Existing keys stay valid.',
    tag,
    rest: { method: 'POST', path: '/2024-03/api-keys' },
    callers: ['key'],
    response: { key: 'data', payloadField: 'apiKey', value: object(newKey, 'The new key.') },
    example: { input: {}, result: exampleKey },
    run: async ({ database, caller }) => {
      const { id, key: secret } = await generateKey(database, requestOf(caller))
      return { keyId: id, key: secret }
    },
  }),
  defineOperation({
    name: 'regenerateApiKey',
    summary: 'Replace all API keys',
    doc: 'Creates an API key and revokes all others of the environment, including the one that authenticates this request.',
    tag,
    rest: { method: 'POST', path: '/2024-03/api-keys/regenerate' },
    callers: ['key'],
    response: {
      key: 'data',
      payloadField: 'apiKey',
      value: object(regeneratedKey, 'The new key.'),
    },
    example: { input: {}, result: { ...exampleKey, revoked: 1 } },
    run: async ({ database, access, caller, onCommit }) => {
      const request = requestOf(caller)
      const { id, key: secret, revoked } = await regenerateKey(database, request)
      const { environmentId } = request
      onCommit(() => access.forgetKeys((owner) => owner.environmentId === environmentId))
      return { keyId: id, key: secret, revoked }
    },
  }),
  defineOperation({
    name: 'revokeApiKey',
    summary: 'Revoke an API key',
    doc: 'Revokes an API key immediately, in every process. A key can revoke itself.',
    tag,
    rest: { method: 'DELETE', path: '/2024-03/api-keys/:keyId' },
    callers: ['key'],
    path: { keyId },
    response: { key: 'keyId', value: keyId },
    errors: ['NOT_FOUND'],
    example: { input: { keyId: EXAMPLE_KEY }, result: EXAMPLE_KEY },
    run: async ({ database, access, caller, onCommit }, { keyId: id }) => {
      if (!(await revokeKeyById(database, caller.environmentId, id)))
        throw new ApiError(
          'NOT_FOUND',
          'No valid API key has this keyId. GET /2024-03/api-keys lists the keys.',
        )
      const revoked = id.toLowerCase()
      onCommit(() => access.forgetKeys((owner) => owner.keyId === revoked))
      return revoked
    },
  }),
]
