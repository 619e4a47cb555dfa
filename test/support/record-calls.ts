/** Records written and read over either face, so that one test speaks for both. */
import { catalogue } from '../../src/generated/registry.ts'
import type { Face } from './operations.ts'
import { fullSelection } from './selection.ts'
import type { Tenant, TestService } from './service.ts'

/** One thing that a refusal says. */
export interface Detail {
  readonly field: string
  readonly expected: string
  readonly stored?: unknown
  readonly current?: unknown
}

export interface RecordOutcome {
  readonly status: number
  /** The record as the face shows it, alike over both; undefined: it failed. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly record: any
  /** The error's code; undefined: it succeeded. */
  readonly code: string | undefined
  readonly message: string | undefined
  readonly details: readonly Detail[]
}

/** The calls on the records of one credential. An `id` may be ours or the app's. */
export interface RecordCalls {
  get(topic: string, id: string): Promise<RecordOutcome>
  create(topic: string, input: object): Promise<RecordOutcome>
  /** `seen`: the version that the caller has seen. */
  update(topic: string, id: string, input: object, seen?: string): Promise<RecordOutcome>
  remove(topic: string, id: string): Promise<RecordOutcome>
}

interface Place {
  readonly service: TestService
  readonly tenant: Tenant
  readonly credentialId: string
}

const overRest = ({ service, tenant, credentialId }: Place): RecordCalls => {
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    topic: string,
    id?: string,
    input?: object,
    seen?: string,
  ): Promise<RecordOutcome> => {
    const { restPath, name } = catalogue.get(topic)
    const below = id === undefined ? '' : `/${encodeURIComponent(id)}`
    const url = `/2024-03/one${restPath}${below}?credentialId=${credentialId}`
    const version = seen === undefined ? {} : { 'if-match': `"${seen}"` }
    const answer = await service.send(tenant.key, method, url, input, version)
    const { error, [name]: record } = answer.json()
    return {
      status: answer.statusCode,
      record,
      code: error?.code,
      message: error?.message,
      details: error?.details ?? [],
    }
  }
  return {
    get: (topic, id) => send('GET', topic, id),
    create: (topic, input) => send('POST', topic, undefined, input),
    update: (topic, id, input, seen) => send('PUT', topic, id, input, seen),
    remove: (topic, id) => send('DELETE', topic, id),
  }
}

const overGraphQL = ({ service, tenant, credentialId }: Place): RecordCalls => {
  const send = async (
    verb: 'get' | 'create' | 'update' | 'delete',
    topic: string,
    given: { readonly id?: string; readonly input?: object; readonly ifUpdatedAt?: string },
  ): Promise<RecordOutcome> => {
    const resource = catalogue.get(topic)
    const field = verb === 'get' ? resource.getField : verb + resource.typeName
    const types = { id: 'ID!', input: `${resource.typeName}Input!`, ifUpdatedAt: 'DateTime' }
    const names = Object.keys(given) as (keyof typeof given)[]
    const declared = names.map((name) => `, $${name}: ${types[name]}`).join('')
    const passed = names.map((name) => `, ${name}: $${name}`).join('')
    const { status, data, errors } = await service.graphql(
      tenant.key,
      `${verb === 'get' ? 'query' : 'mutation'} ($credentialId: ID!${declared}) {
        record: ${field}(credentialId: $credentialId${passed}) { ${fullSelection(resource)} } }`,
      { credentialId, ...given },
      // By this type a refused document is a 400, as its REST counterpart is.
      { accept: 'application/graphql-response+json' },
    )
    const [error] = errors
    return {
      status,
      record: data?.record ?? undefined,
      code: error?.extensions.code,
      message: error?.message,
      // The details of an error of ours.
      details: (error?.extensions.details ?? []) as readonly Detail[],
    }
  }
  return {
    get: (topic, id) => send('get', topic, { id }),
    create: (topic, input) => send('create', topic, { input }),
    update: (topic, id, input, seen) =>
      send('update', topic, { id, input, ...(seen && { ifUpdatedAt: seen }) }),
    remove: (topic, id) => send('delete', topic, { id }),
  }
}

/** The calls over a face. */
export const recordsOver = (face: Face, place: Place): RecordCalls =>
  face === 'REST' ? overRest(place) : overGraphQL(place)
