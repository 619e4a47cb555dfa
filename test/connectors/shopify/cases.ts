/** Cases of the Shopify connector, field by field: each has a literal input and a literal outcome. */
import { reads } from './reads.ts'
import type { ShopifyCase } from './records.ts'
import { responses } from './responses.ts'
import { writes } from './writes.ts'

export const shopifyCases: readonly ShopifyCase[] = [...responses, ...writes, ...reads]
