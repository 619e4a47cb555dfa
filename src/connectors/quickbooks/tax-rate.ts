/** Tax rates. The feed does not report them (NOTES "changes"). */
import type { ResourceConnector } from '../../definition/connector.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { entriesOf, type Values } from '../../definition/raw-values.ts'
import { taxRate } from '../../resources/accounting/tax-rate.ts'
import { type Entity, pagesOf, readManyOf, sync } from './entity.ts'
import { common } from './fields.ts'

/** The rate that has no end; the present one if there are several (NOTES "tax rates"). */
const effectiveRate = ({ EffectiveTaxRate, RateValue }: Values): unknown =>
  entriesOf(EffectiveTaxRate).find(({ EndDate }) => EndDate === undefined)?.RateValue ?? RateValue

const entity: Entity = { name: 'TaxRate', hasActive: true }

export const taxRates: ResourceConnector = {
  mapping: defineMapping<typeof taxRate, Values>(taxRate, {
    ...common,
    description: ({ Name, Description }) => Name ?? Description,
    totalTaxRate: 'RateValue',
    effectiveTaxRate: effectiveRate,
  }),
  ...pagesOf(entity),
  readMany: readManyOf(entity),
  sync,
}
