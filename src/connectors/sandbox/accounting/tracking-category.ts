import { trackingCategory } from '../../../resources/accounting/tracking-category.ts'
import { collection } from '../collection.ts'

/** `/v1/cost_centers`, read-only in the sandbox. */
export default collection('cost_centers', trackingCategory, {
  trackingCategoryName: 'name',
  trackingCategoryStatus: 'state',
  trackingCategoryType: 'dimension',
  parentCategoryId: 'parent',
  companyId: 'company',
})
