import { reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const trackingCategory = defineResource({
  name: 'trackingCategory',
  plural: 'trackingCategories',
  category: 'accounting',
  doc: 'A label that transactions are reported by, such as a department or a location.',
  verbs: ['list', 'get'],
  fields: {
    trackingCategoryName: text('Name of the category.'),
    trackingCategoryStatus: text("Standing of the category, in the app's own words."),
    trackingCategoryType: text('What the category tracks, such as a class or a department.'),
    parentCategoryId: reference('accounting/trackingCategories', 'Category this one is part of.'),
    companyId: reference('accounting/companyInfo', 'Company the category belongs to.'),
  },
})
