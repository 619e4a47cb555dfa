import { defineMapping } from '../../../definition/mapping.ts'
import { taxRate } from '../../../resources/accounting/tax-rate.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(taxRate, {
  ...recordFields,
  description: 'label',
  totalTaxRate: 'percent',
  effectiveTaxRate: 'effective_percent',
  companyId: 'company',
})

/** `/v1/tax_codes`, read-only in the sandbox. */
export default collection('tax_codes', mapping)
