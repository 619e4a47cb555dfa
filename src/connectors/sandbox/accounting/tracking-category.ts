import { defineMapping } from '../../../definition/mapping.ts'
import { trackingCategory } from '../../../resources/accounting/tracking-category.ts'
import { collection } from '../collection.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(trackingCategory, {
  ...history,
  trackingCategoryName: 'name',
  trackingCategoryStatus: 'state',
  trackingCategoryType: 'dimension',
  parentCategoryId: 'parent',
  companyId: 'company',
})

/** `/v1/cost_centers`, which the sandbox only lets be read. */
export default collection('cost_centers', mapping)
