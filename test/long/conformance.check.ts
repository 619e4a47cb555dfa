/** The conformance suite with every fault of its table: the template of new connectors, and real apps with writes. */
import { describe, expect, test } from 'vitest'
import { connector as gnucash } from '../../src/connectors/gnucash/manifest.ts'
import { connector as vendure } from '../../src/connectors/vendure/manifest.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createSandboxApp } from '../../src/sandbox/app.ts'
import { type CheckResult, reportTable } from '../../tools/app-kit/check/result.ts'
import { type CheckOptions, checkApp } from '../../tools/app-kit/check/run.ts'
import { type CheckedApp, openWorkbench } from '../../tools/app-kit/check/workbench.ts'
import { connector as template } from '../../tools/app-kit/template/manifest.ts'
import { gnucashMissing, startGnuCash } from '../apps/gnucash/start.ts'
import { openHarness, missing as vendureMissing } from '../connectors/vendure/harness.ts'
import { createTestDatabase } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { createTemplateApp } from '../support/template-app.ts'

/** Runs all checks on a database of their own, and prints the report. */
const runChecks = async (
  app: CheckedApp,
  options: CheckOptions,
): Promise<readonly CheckResult[]> => {
  const database = await createTestDatabase()
  const bench = await openWorkbench(database.url, app)
  try {
    const results = await checkApp(bench, options)
    console.log(`${app.connector.name}\n${reportTable(results)}`)
    return results
  } finally {
    await bench.stop()
    await database.drop()
  }
}

const listFailedChecks = (results: readonly CheckResult[]): readonly CheckResult[] =>
  results.filter(({ outcome }) => outcome === 'failed')

test('the template of new connectors conforms', async () => {
  const { url, token, handle } = createTemplateApp(11)
  const app = { connector: template, values: { url, token }, upstream: handle, deadlineMs: 500 }
  expect(listFailedChecks(await runChecks(app, {}))).toEqual([])
})

test('the sandbox conforms', async () => {
  const service = await startService()
  try {
    const sandbox = connectors.get('sandbox')
    if (!sandbox) throw new Error('The registry has no sandbox.')
    const { handle, openTenant } = createSandboxApp(service)
    const { tenant, token } = await openTenant('acme')
    const app = { connector: sandbox, values: { tenant, token }, upstream: handle }
    expect(listFailedChecks(await runChecks(app, {}))).toEqual([])
  } finally {
    await service.stop()
  }
})

const missing = gnucashMissing()

describe.skipIf(missing)(`the real GnuCash${missing ? `: ${missing}` : ''}`, () => {
  test('conforms', async () => {
    const app = await startGnuCash()
    try {
      const results = await runChecks(
        { connector: gnucash, values: { url: app.url } },
        {
          writes: {
            'accounting/customers': {
              create: {
                customerName: 'Studio Lindqvist {n}',
                currency: 'EUR',
                addresses: [{ addressType: 'BILLING', street1: 'Storgatan 1' }],
              },
              update: { email: 'hello@lindqvist.example' },
            },
          },
        },
      )
      expect(listFailedChecks(results)).toEqual([])
    } finally {
      await app.stop()
    }
  })
})

describe.skipIf(vendureMissing)(
  `the real Vendure${vendureMissing ? `: ${vendureMissing}` : ''}`,
  () => {
    test('conforms', async () => {
      const { shop } = await openHarness()
      try {
        const { url, apiKey } = shop.vendure
        const results = await runChecks(
          { connector: vendure, values: { url, apiKey } },
          {
            writes: {
              'commerce/customers': {
                create: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada-{n}@example.org' },
                update: { firstName: 'Augusta' },
              },
            },
          },
        )
        expect(listFailedChecks(results)).toEqual([])
      } finally {
        await shop.close()
      }
    })
  },
)
