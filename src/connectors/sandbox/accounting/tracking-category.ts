import { defineMapping } from '../../../definition/mapping.ts'
import { trackingCategory } from '../../../resources/accounting/tracking-category.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(trackingCategory, {
  ...recordFields,
  trackingCategoryName: 'name',
  trackingCategoryStatus: 'state',
  trackingCategoryType: 'dimension',
  parentCategoryId: 'parent',
  companyId: 'company',
})

/** `/v1/cost_centers`, read-only in the sandbox. */
export default collection('cost_centers', mapping)
