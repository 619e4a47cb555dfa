/** A wrong name of any field that the HubSpot connector reads or writes fails its tests. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { standardProperties } from '../simulators/hubspot/property-definitions.ts'
import { describeReport, MIN_SHARE, mutateFields } from './field-mutations.ts'
import { hubSpotCases } from './hubspot/cases.ts'
import { openHarness } from './hubspot/harness.ts'

// Written by the connector, and compared value by value with full-records.ts, cases.ts and the vendor's documentation.
const outcomes = JSON.parse(
  readFileSync(new URL('./hubspot/outcomes.json', import.meta.url), 'utf8'),
)

test('a wrong name of any field is noticed', async () => {
  const report = await mutateFields(
    hubSpotCases.map(({ name, run }) => ({
      name,
      run: (traffic) => run(openHarness(traffic), traffic),
      check: (outcome) => expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcomes[name]),
    })),
    {
      folder: new URL('../../src/connectors/hubspot/', import.meta.url),
      names: [...standardProperties.values()].flatMap((properties) => [...properties.keys()]),
      // The source uses the word for the account of an inbound event, not for the property of contacts.
      except: ['company'],
    },
  )
  console.log(describeReport(report))
  expect(report.share).toBeGreaterThanOrEqual(MIN_SHARE)
})
