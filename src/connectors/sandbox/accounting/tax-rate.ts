import { defineMapping } from '../../../definition/mapping.ts'
import { taxRate } from '../../../resources/accounting/tax-rate.ts'
import { history } from '../shared.ts'

/** `/v1/tax_codes` */
export default defineMapping(taxRate, {
  ...history,
  description: 'label',
  totalTaxRate: 'percent',
  effectiveTaxRate: 'effective_percent',
  companyId: 'company',
})
