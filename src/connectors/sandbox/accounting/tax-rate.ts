import { taxRate } from '../../../resources/accounting/tax-rate.ts'
import { collection } from '../collection.ts'

/** `/v1/tax_codes`, read-only in the sandbox. */
export default collection('tax_codes', taxRate, {
  description: 'label',
  totalTaxRate: 'percent',
  effectiveTaxRate: 'effective_percent',
  companyId: 'company',
})
