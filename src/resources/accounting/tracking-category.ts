import { reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const trackingCategory = defineResource({
  name: 'trackingCategory',
  plural: 'trackingCategories',
  category: 'accounting',
  doc: 'A category by which transactions are reported, such as a department or a location.',
  verbs: ['list', 'get'],
  fields: {
    trackingCategoryName: text('Name of the category.'),
    trackingCategoryStatus: text('Status of the category, as the app names it.'),
    trackingCategoryType: text('Type of the category, such as class or department.'),
    parentCategoryId: reference('accounting/trackingCategories', 'Parent of this category.'),
    companyId: reference('accounting/companyInfo', 'Company the category belongs to.'),
  },
})
