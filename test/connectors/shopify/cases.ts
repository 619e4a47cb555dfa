/** What the connector makes of a shop, field by field: each case is a literal input and a literal outcome. */
import { reads } from './reads.ts'
import type { ShopifyCase } from './records.ts'
import { responses } from './responses.ts'
import { writes } from './writes.ts'

export const shopifyCases: readonly ShopifyCase[] = [...responses, ...writes, ...reads]
