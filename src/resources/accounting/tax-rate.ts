import { number, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const taxRate = defineResource({
  name: 'taxRate',
  plural: 'taxRates',
  category: 'accounting',
  doc: 'A tax rate for sales or purchases.',
  verbs: ['list', 'get'],
  fields: {
    description: text('Name or description of the rate.'),
    totalTaxRate: number('Sum of the component rates, in percent.'),
    effectiveTaxRate: number('Rate that is charged on the net amount, in percent.'),
    companyId: reference('accounting/companyInfo', 'Company the rate belongs to.'),
  },
})
