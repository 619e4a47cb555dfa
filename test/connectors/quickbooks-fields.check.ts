/** A wrong name of any field that the QuickBooks connector reads or writes fails its tests. */
import { expect, test } from 'vitest'
import { declaredNames } from '../simulators/quickbooks/contract.ts'
import { describeReport, MIN_SHARE, mutateFields } from './field-mutations.ts'
import { quickBooksCases } from './quickbooks/cases.ts'
import { openHarness } from './quickbooks/harness.ts'

test('a wrong name of any field is noticed', async () => {
  const report = await mutateFields(
    quickBooksCases.map(({ name, run, expected }) => ({
      name,
      run: (traffic) => run(openHarness(traffic), traffic),
      check: (outcome) => expect(outcome).toEqual(expected),
    })),
    {
      folder: new URL('../../src/connectors/quickbooks/', import.meta.url),
      names: declaredNames,
      // Words of types and texts in the connector's source.
      except: ['Category', 'Credit', 'Entity', 'Long', 'Number', 'Required'],
    },
  )
  console.log(describeReport(report))
  expect(report.share).toBeGreaterThanOrEqual(MIN_SHARE)
})
