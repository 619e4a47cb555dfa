/** The HubSpot connector and a simulated portal in memory. */
import { connector } from '../../../src/connectors/hubspot/manifest.ts'
import type {
  AppRequest,
  AppResponse,
  Json,
  ListPosition,
  Steps,
} from '../../../src/definition/connector.ts'
import { unifiedField } from '../../../src/definition/mapping/unified-field.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { addFullRecords } from '../../long/hubspot/full-records.ts'
import { createClient } from '../../simulators/client.ts'
import { createHubSpot } from '../../simulators/hubspot/start.ts'
import { ATTEMPT, runSteps, StepFailure } from '../../support/steps.ts'
import type { Traffic } from '../field-mutations.ts'

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'
const PORTAL = '62515'
const START_MS = Date.parse('2026-11-23T17:00:00Z')

export type Fields = Readonly<Record<string, Json>>

/**
 * Creates a portal with a record of each type, and a connector whose requests and responses pass through
 * `traffic`.
 */
export const openHarness = (traffic: Traffic) => {
  const clock = { startMs: START_MS, frozen: true }
  const simulator = createHubSpot({ limited: false, searchLagMs: 0, clock })
  const portal = simulator.addPortal(PORTAL, 'Acme', { additionalCurrencies: ['EUR'] })
  const full = addFullRecords(portal)
  portal.archiveOwner(portal.addOwner('gone@example.com', 'Gone', 'Owner'))
  const client = createClient(simulator, simulator.oauth.issue(PORTAL).accessToken)

  const send = async (request: AppRequest): Promise<AppResponse> => {
    const { method, path, body } = traffic.sent(request)
    const reply = await client(method, path, body === undefined ? {} : { body })
    return { status: reply.status, headers: reply.headers, body: traffic.received(reply.json) }
  }
  const run = <Result>(steps: Steps<Result>): Promise<Result> => runSteps(connector, steps, send)

  const resourceOf = (name: string) => {
    const found = connector.resources[`crm/${name}`]
    if (!found) throw new Error(`The connector has no ${name}.`)
    return found
  }

  const readContext = (): Promise<unknown> => {
    if (!connector.context) throw new Error('The connector has no context.')
    return run(connector.context.read())
  }

  /** The fields of a record that have a value, references by the id in the app. */
  const showRecord = (name: string, raw: unknown, context: unknown): object => {
    const { row, problems } = createMapper(resourceOf(name).mapping)(raw, CREDENTIAL, { context })
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    const { id: _, remoteDeleted: __, ...rest } = row
    const isEmpty = (value: unknown) =>
      value === null || (Array.isArray(value) && value.length === 0)
    return Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value)))
  }

  const writerOf = (name: string) => {
    const { write } = resourceOf(name)
    if (!write?.create || !write.update) throw new Error(`${name} cannot be written.`)
    return { get: write.get, create: write.create, update: write.update }
  }
  const createAttempt = async () => ({ ...ATTEMPT, context: await readContext() })

  return {
    simulator,
    portal,
    full,
    readContext,
    /** Everything that a listing shows, and the ids that it reports as deleted. */
    list: async (name: string, since?: string) => {
      const { listRequest, readList } = resourceOf(name)
      const context = await readContext()
      const records: object[] = []
      const deleted: string[] = []
      for (let cursor: Json | undefined, isEnd = false; !isEnd; ) {
        const position: ListPosition = { since, cursor, context }
        const request = listRequest(position)
        const response = await run(
          (function* (): Steps<AppResponse> {
            return yield request
          })(),
        )
        const page = readList(response, position)
        records.push(...page.records.map((raw) => showRecord(name, raw, context)))
        deleted.push(...(page.deleted ?? []))
        cursor = page.next
        isEnd = cursor === undefined
      }
      return { records, deleted }
    },
    get: async (name: string, remoteId: string) => {
      const context = await readContext()
      const raw = await run(writerOf(name).get(remoteId, undefined, context))
      return raw === undefined ? null : showRecord(name, raw, context)
    },
    create: async (name: string, fields: Fields, remoteFields: Fields = {}) => {
      const context = await createAttempt()
      const steps = writerOf(name).create.steps({ fields, remoteFields }, context)
      return showRecord(name, await run(steps), context.context)
    },
    update: async (name: string, remoteId: string, fields: Fields) => {
      const context = await createAttempt()
      const { get, update } = writerOf(name)
      const raw = await run(get(remoteId, undefined, context.context))
      const stored = { remoteId, record: {}, raw }
      const steps = update.steps({ fields, remoteFields: {} }, stored, context)
      return showRecord(name, await run(steps), context.context)
    },
    /** The unified name of the field that HubSpot rejects in a new record. */
    refusedField: async (name: string, fields: Fields): Promise<string | undefined> => {
      const steps = writerOf(name).create.steps({ fields, remoteFields: {} }, await createAttempt())
      const failure = await run(steps).catch((error: unknown) => error)
      if (!(failure instanceof StepFailure)) throw failure
      return failure.field && unifiedField(resourceOf(name).mapping, failure.field)
    },
    describe: async (name: string) => {
      const { describeFields } = resourceOf(name)
      if (!describeFields) throw new Error(`${name} has no description.`)
      return run(describeFields(await readContext()))
    },
  }
}

export type Harness = ReturnType<typeof openHarness>
