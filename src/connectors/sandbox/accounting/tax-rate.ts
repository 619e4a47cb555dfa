import { defineMapping } from '../../../definition/mapping.ts'
import { taxRate } from '../../../resources/accounting/tax-rate.ts'
import { collection } from '../collection.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(taxRate, {
  ...history,
  description: 'label',
  totalTaxRate: 'percent',
  effectiveTaxRate: 'effective_percent',
  companyId: 'company',
})

/** `/v1/tax_codes`, which the sandbox only lets be read. */
export default collection('tax_codes', mapping)
