import { defineMapping } from '../../../definition/mapping.ts'
import { trackingCategory } from '../../../resources/accounting/tracking-category.ts'
import { history } from '../shared.ts'

/** `/v1/cost_centers` */
export default defineMapping(trackingCategory, {
  ...history,
  trackingCategoryName: 'name',
  trackingCategoryStatus: 'state',
  trackingCategoryType: 'dimension',
  parentCategoryId: 'parent',
  companyId: 'company',
})
