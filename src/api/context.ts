/** What every operation of the API works with. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Access } from '../store/access.ts'
import type { Database } from '../store/database.ts'

export interface ApiContext {
  readonly database: Database
  readonly access: Access
  readonly catalogue: Catalogue
}
