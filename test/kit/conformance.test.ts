/** The conformance suite for connectors: the template of new connectors passes it, and each check can fail. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Connector,
  defineConnector,
  type ResourceConnector,
} from '../../src/definition/connector.ts'
import { FAULT_CASES } from '../../tools/app-kit/check/faults.ts'
import { type CheckResult, reportTable } from '../../tools/app-kit/check/result.ts'
import { checkApp } from '../../tools/app-kit/check/run.ts'
import { openWorkbench, type Workbench } from '../../tools/app-kit/check/workbench.ts'
import { connector } from '../../tools/app-kit/template/manifest.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTemplateApp, type TemplateApp } from '../support/template-app.ts'

const TOPIC = 'crm/accounts'
const writes = {
  [TOPIC]: {
    create: { accountName: 'Lindqvist', industry: 'Design', numberOfEmployees: 3 },
    update: { industry: 'Print' },
  },
}
// A rate limit pauses for seconds: test/long/conformance.check.ts has the whole table.
const UNPAUSED = FAULT_CASES.filter(({ name }) => !name.startsWith('429'))
const QUICK = FAULT_CASES.filter(({ name }) => name === '500' || name === 'half a response')

let database: TestDatabase
let app: TemplateApp
let bench: Workbench | undefined

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  app = createTemplateApp(11)
})
afterEach(() => bench?.stop())

const open = async (checked: Connector = connector): Promise<Workbench> => {
  bench = await openWorkbench(database.url, {
    connector: checked,
    values: { url: app.url, token: app.token },
    upstream: app.handle,
    deadlineMs: 200,
  })
  return bench
}

/** The template with changes of its only resource. */
const changeTemplate = (
  changes: (accounts: ResourceConnector) => Partial<ResourceConnector> | undefined,
): Connector => {
  const { [TOPIC]: accounts } = connector.resources
  if (!accounts) throw new Error('The template has no accounts.')
  return defineConnector({
    ...connector,
    resources: { [TOPIC]: { ...accounts, ...changes(accounts) } },
  })
}

const listFailedChecks = (results: readonly CheckResult[]): readonly string[] =>
  results.flatMap(({ check, outcome }) => (outcome === 'failed' ? check : []))

test('passes the template with faults and its writes', async () => {
  const results = await checkApp(await open(), { faults: UNPAUSED, writes })
  expect(listFailedChecks(results), reportTable(results)).toEqual([])
  const passed = results.flatMap(({ check, outcome }) => (outcome === 'passed' ? check : []))
  expect(passed).toEqual([
    'credential',
    'mapping',
    'mutations',
    'resume',
    'changes',
    'get',
    'read many',
    'first sync',
    'second sync',
    ...UNPAUSED.map(({ name }) => name),
    'create',
    'create is listed',
    'update',
    'stale update',
    'lost response',
    'delete',
  ])
  expect(results.find(({ check }) => check === 'mutations')?.detail).toMatch(/6 of 6 mapped fields/)
})

test('sends only reads without writes', async () => {
  const methods = new Set<string>()
  const { handle } = app
  app = {
    ...app,
    handle: (request) => {
      methods.add(request.method)
      return handle(request)
    },
  }
  await checkApp(await open(), { faults: QUICK })
  expect([...methods]).toEqual(['GET'])
})

type Wrong = readonly [name: string, check: string, connector: () => Connector]

const wrong: readonly Wrong[] = [
  [
    'a pager that ignores the cursor after a restart',
    'resume',
    () =>
      changeTemplate(({ listRequest, readList }) => {
        let next: string | undefined
        return {
          listRequest: ({ cursor, ...start }) =>
            listRequest({ ...start, cursor: JSON.stringify(cursor) === next ? cursor : undefined }),
          readList: (response, position) => {
            const page = readList(response, position)
            next = JSON.stringify(page.next)
            return page
          },
        }
      }),
  ],
  [
    'a listing of changes that ignores since',
    'changes',
    () =>
      changeTemplate(({ listRequest }) => ({
        listRequest: ({ cursor }) => listRequest({ since: undefined, cursor }),
      })),
  ],
  [
    'readMany without a field',
    'read many',
    () =>
      changeTemplate(
        ({ readMany }) =>
          readMany && {
            readMany: {
              ...readMany,
              read: (response) =>
                readMany.read(response).map((raw) => ({ ...Object(raw), industry: null })),
            },
          },
      ),
  ],
  [
    'a field that the mapping does not read',
    'mutations',
    () =>
      changeTemplate(({ mapping }) => ({
        // With a parameter: a rule without one declares a fixed value.
        mapping: { ...mapping, rules: { ...mapping.rules, industry: (_: unknown) => 'Paper' } },
      })),
  ],
  [
    'a value that does not fit',
    'mapping',
    () =>
      changeTemplate(({ mapping }) => ({
        mapping: { ...mapping, rules: { ...mapping.rules, numberOfEmployees: 'name' } },
      })),
  ],
  [
    'a context that changes with each read',
    'context',
    () => {
      let reads = 0
      const context = {
        version: 1,
        *read() {
          yield connector.check
          return { reads: ++reads }
        },
      }
      return defineConnector({ ...connector, context })
    },
  ],
  [
    'failures that are not classified',
    'credential',
    () => defineConnector({ ...connector, readFailure: () => ({ kind: 'refused', reason: 'no' }) }),
  ],
]

describe('finds', () => {
  test.each(wrong)('%s', async (_name, check, create) => {
    expect(listFailedChecks(await checkApp(await open(create()), { faults: [] }))).toContain(check)
  })

  test('a sync that reports unchanged records again', async () => {
    let reads = 0
    const restless = changeTemplate(({ mapping }) => ({
      mapping: { ...mapping, rules: { ...mapping.rules, description: () => `read ${++reads}` } },
    }))
    expect(listFailedChecks(await checkApp(await open(restless), { faults: [] }))).toContain(
      'second sync',
    )
  })

  test('an update that is written although the record has changed', async () => {
    const unguarded = changeTemplate(
      ({ write }) =>
        // The app ignores the version that this guard promises to send.
        write?.update && { write: { ...write, update: { ...write.update, guard: 'version' } } },
    )
    const results = await checkApp(await open(unguarded), { faults: [], writes })
    expect(listFailedChecks(results)).toEqual(['stale update'])
  })
})

test('the report names each check, and no secret', async () => {
  const results = await checkApp(await open(), { faults: QUICK })
  const table = reportTable(results)
  expect(table).toContain('All checks passed.')
  expect(table).not.toContain(app.token)
})
