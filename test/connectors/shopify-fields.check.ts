/** A wrong name of any field that the Shopify connector reads or writes fails its tests. */
import { isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../simulators/shopify/schema.ts'
import { describeReport, MIN_SHARE, mutateFields } from './field-mutations.ts'
import { shopifyCases } from './shopify/cases.ts'
import { openHarness } from './shopify/harness.ts'

const declaredNames = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.keys(type.getFields())
    : [],
)

test('a wrong name of any field is noticed', async () => {
  const report = await mutateFields(
    shopifyCases.map(({ name, run, expected }) => ({
      name,
      run: (traffic) => run(openHarness(traffic), traffic),
      check: (outcome) => expect(outcome).toEqual(expected),
    })),
    {
      folder: new URL('../../src/connectors/shopify/', import.meta.url),
      names: declaredNames,
      except: [
        // In the document of a bulk operation, which the simulator validates; its file does not have it.
        'edges',
        // Words of unified fields and of the connector's own source.
        'address',
        'cursor',
        'description',
        'event',
        'fields',
        'filter',
        'fulfillmentOrder',
        'host',
        'options',
        'rate',
        'timeZone',
        'totalPrice',
        'type',
        'unitCost',
      ],
    },
  )
  console.log(describeReport(report))
  expect(report.share).toBeGreaterThanOrEqual(MIN_SHARE)
})
