/** Which verbs of which resources the requests of a test have used successfully. */
import type { FastifyInstance } from 'fastify'
import { resourcePaths } from '../../src/api/rest/paths.ts'
import { catalogue } from '../../src/generated/registry.ts'

/** A verb that a request has used. */
export interface ExercisedVerb {
  readonly credentialId: string
  readonly topic: string
  readonly verb: 'list' | 'get' | 'create' | 'update' | 'delete'
}

const topics: ReadonlyMap<string, string> = new Map(
  catalogue.resources.flatMap((resource) =>
    resourcePaths(resource).map(({ path }) => [path, resource.topic]),
  ),
)

const ofLists: Readonly<Record<string, ExercisedVerb['verb']>> = { GET: 'list', POST: 'create' }
const ofRecords: Readonly<Record<string, ExercisedVerb['verb']>> = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
}

/** The verbs of the successful requests for records over REST, from this call on. */
export const observeVerbs = (server: FastifyInstance): readonly ExercisedVerb[] => {
  const exercised: ExercisedVerb[] = []
  server.addHook('onResponse', async ({ method, routeOptions, query }, { statusCode }) => {
    const { url = '' } = routeOptions
    const { credentialId } = Object(query)
    const isRecord = url.endsWith('/:id')
    const topic = topics.get(isRecord ? url.slice(0, -'/:id'.length) : url)
    const verb = (isRecord ? ofRecords : ofLists)[method]
    if (topic && verb && typeof credentialId === 'string' && statusCode < 300)
      exercised.push({ credentialId, topic, verb })
  })
  return exercised
}
