/** Records written and read over REST or GraphQL, so that one test covers both transports. */
import { expect } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import type { Transport } from './operations.ts'
import { selectAllFields } from './selection.ts'
import type { Tenant, TestService } from './service.ts'
import { restErrorOf, USER_ERRORS } from './user-errors.ts'

/** One detail of an error. */
export interface Detail {
  readonly field: string
  readonly expected: string
  readonly stored?: unknown
  readonly current?: unknown
}

export interface RecordOutcome {
  /** A user error of GraphQL has the status that REST returns. */
  readonly status: number
  /** The record in the same form over both transports; undefined if the call failed. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the record
  readonly record: any
  /** The error's code; undefined if the call succeeded. */
  readonly code: string | undefined
  readonly message: string | undefined
  readonly details: readonly Detail[]
}

/** The calls on the records of one credential. An `id` is Trunkline's or the app's. */
export interface RecordCalls {
  get(topic: string, id: string): Promise<RecordOutcome>
  create(topic: string, input: object): Promise<RecordOutcome>
  /** `readVersion`: the version that the caller has read. */
  update(topic: string, id: string, input: object, readVersion?: string): Promise<RecordOutcome>
  /** Like `update`; over REST with PATCH, which requires no field. */
  patch(topic: string, id: string, input: object, readVersion?: string): Promise<RecordOutcome>
  remove(topic: string, id: string): Promise<RecordOutcome>
}

interface CallTarget {
  readonly service: TestService
  readonly tenant: Tenant
  readonly credentialId: string
}

const createRestCalls = ({ service, tenant, credentialId }: CallTarget): RecordCalls => {
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    topic: string,
    id?: string,
    input?: object,
    readVersion?: string,
  ): Promise<RecordOutcome> => {
    const { restPath, name } = catalogue.get(topic)
    const below = id === undefined ? '' : `/${encodeURIComponent(id)}`
    const url = `/2024-03/one${restPath}${below}?credentialId=${credentialId}`
    const version = readVersion === undefined ? {} : { 'if-match': `"${readVersion}"` }
    const response = await service.send(tenant.key, method, url, input, version)
    const { error, [name]: record } = response.json()
    return {
      status: response.statusCode,
      record,
      code: error?.code,
      message: error?.message,
      details: error?.details ?? [],
    }
  }
  return {
    get: (topic, id) => send('GET', topic, id),
    create: (topic, input) => send('POST', topic, undefined, input),
    update: (topic, id, input, readVersion) => send('PUT', topic, id, input, readVersion),
    patch: (topic, id, input, readVersion) => send('PATCH', topic, id, input, readVersion),
    remove: (topic, id) => send('DELETE', topic, id),
  }
}

const createGraphQLCalls = ({ service, tenant, credentialId }: CallTarget): RecordCalls => {
  const send = async (
    verb: 'get' | 'create' | 'update' | 'delete',
    topic: string,
    values: { readonly id?: string; readonly input?: object; readonly ifUpdatedAt?: string },
  ): Promise<RecordOutcome> => {
    const resource = catalogue.get(topic)
    const field = verb === 'get' ? resource.getField : verb + resource.typeName
    const input = `${resource.typeName}${verb === 'update' ? 'UpdateInput' : 'Input'}!`
    const types = { id: 'ID!', input, ifUpdatedAt: 'DateTime' }
    const names = Object.keys(values) as (keyof typeof values)[]
    const declared = names.map((name) => `, $${name}: ${types[name]}`).join('')
    const passed = names.map((name) => `, ${name}: $${name}`).join('')
    const { status, data, errors } = await service.graphql(
      tenant.key,
      `${verb === 'get' ? 'query' : 'mutation'} ($credentialId: ID!${declared}) {
        answer: ${field}(credentialId: $credentialId${passed}) {
          ${verb === 'get' ? selectAllFields(resource) : `record: ${resource.name} { ${selectAllFields(resource)} } ${USER_ERRORS}`}
        } }`,
      { credentialId, ...values },
      // With this media type a rejected document is a 400, like its REST counterpart.
      { accept: 'application/graphql-response+json' },
    )
    const [error] = errors
    const answer = data?.answer ?? undefined
    const userError = restErrorOf(answer?.userErrors ?? [])
    if (userError) {
      expect([status, answer.record]).toEqual([200, null])
      return { ...userError, record: undefined }
    }
    return {
      status,
      record: verb === 'get' ? answer : answer?.record,
      code: error?.extensions.code,
      message: error?.message,
      // The `details` of a Trunkline error.
      details: (error?.extensions.details ?? []) as readonly Detail[],
    }
  }
  const update: RecordCalls['update'] = (topic, id, input, readVersion) =>
    send('update', topic, { id, input, ...(readVersion && { ifUpdatedAt: readVersion }) })
  return {
    get: (topic, id) => send('get', topic, { id }),
    create: (topic, input) => send('create', topic, { input }),
    update,
    patch: update,
    remove: (topic, id) => send('delete', topic, { id }),
  }
}

/** Returns the record calls over the transport. */
export const createRecordCalls = (transport: Transport, target: CallTarget): RecordCalls =>
  transport === 'REST' ? createRestCalls(target) : createGraphQLCalls(target)
