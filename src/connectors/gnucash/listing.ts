/** Listings of the GnuCash REST server: one response has all records (NOTES "lists are complete"). */
import type { ResourceConnector } from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { type PageReader, singlePage } from '../../definition/paging/pager.ts'

/**
 * The listing of a collection, which every run compares as a whole with the stored records.
 * @param records the path of the records in the response; default: the response is the list
 */
export const collection = (
  mapping: Mapping,
  path: string,
  records: PageReader = '',
): ResourceConnector => ({
  mapping,
  ...singlePage({ request: () => ({ method: 'GET', path }), records }),
  // NOTES "no times of change", "deletions leave no trace"
  sync: { changes: { by: 'full-listing' }, deletions: 'compared' },
})
