/** Cases of the QuickBooks connector, field by field: each has a literal input and a literal outcome. */
import { creates } from './creates.ts'
import { reads } from './reads.ts'
import type { QuickBooksCase } from './records.ts'
import { responses } from './responses.ts'
import { updates } from './updates.ts'

export const quickBooksCases: readonly QuickBooksCase[] = [
  ...creates,
  ...updates,
  ...reads,
  ...responses,
]
