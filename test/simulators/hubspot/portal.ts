/** A portal: one customer's account, with its definitions, owners and pipelines. */
import type { Account } from '../engine/accounts.ts'
import type { Clock } from '../engine/clock.ts'
import type { JsonObject } from '../engine/json.ts'
import type { Store, StoredRecord } from '../engine/store.ts'
import { ApiError, validationError } from './errors.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import { type PropertyDefinition, standardProperties } from './property-definitions.ts'

export interface PortalSettings {
  readonly timeZone: string
  readonly currency: string
  /** The other currencies of a portal with several. */
  readonly additionalCurrencies: readonly string[]
  /** Whether the subscription of the portal has leads. */
  readonly hasLeads: boolean
  /** The most results that the pages of a search reach. */
  readonly maxSearchResults: number
  /** How long after a write the search index has it. */
  readonly searchLagMs: number
  /** How requests for a property without a definition are handled. */
  readonly undefinedProperties: 'refused' | 'ignored'
}

export interface Portal {
  readonly account: Account
  readonly store: Store
  readonly clock: Clock
  readonly settings: PortalSettings
  /** Whether a record has changed in the last `searchLagMs`. */
  hasUnindexedChanges(): boolean
}

export interface Stage {
  readonly id: string
  readonly label: string
  /** Deals have `probability` and `isClosed`, leads `leadState`. */
  readonly metadata: Readonly<Record<string, string>>
}

export const openPortal = (account: Account, clock: Clock, settings: PortalSettings): Portal => {
  let changedAtMs = Number.NEGATIVE_INFINITY
  account.store.onChange(({ atMs }) => {
    changedAtMs = Math.max(changedAtMs, atMs)
  })
  const hasUnindexedChanges = () => changedAtMs > clock.nowMs() - settings.searchLagMs
  return { account, store: account.store, clock, settings, hasUnindexedChanges }
}

/** @throws ApiError if there is no such type of records */
export const objectTypeNamed = (name: string): ObjectType => {
  const type = objectTypes.get(name)
  if (!type) throw validationError(`Unable to infer object type from: ${name}`)
  return type
}

export const formatTime = (ms: number): string => new Date(ms).toISOString()

/** A custom property as it is stored. */
const customOf = ({ value }: StoredRecord): PropertyDefinition =>
  // Stored by `addProperty` in start.ts, from a definition.
  value.definition as unknown as PropertyDefinition

/** The properties of a type, by name. */
export const definitionsOf = (
  { store, settings }: Portal,
  { name }: ObjectType,
): ReadonlyMap<string, PropertyDefinition> =>
  store.view([`property ${name}`], 'definitions', (custom) => {
    const all = new Map(standardProperties.get(name))
    const currency = all.get('deal_currency_code')
    const codes = [settings.currency, ...settings.additionalCurrencies]
    if (currency) {
      const options = codes.map((value) => ({ value, label: value }))
      all.set(currency.name, { ...currency, options })
    }
    for (const definition of custom.map(customOf)) all.set(definition.name, definition)
    return all
  })

/** @throws ApiError if the type has no such property */
export const definitionNamed = (
  portal: Portal,
  type: ObjectType,
  name: string,
): PropertyDefinition => {
  const definition = definitionsOf(portal, type).get(name)
  if (definition) return definition
  throw new ApiError({
    message: `Property "${name}" does not exist`,
    errors: [
      {
        message: `Property "${name}" does not exist`,
        code: 'PROPERTY_DOESNT_EXIST',
        context: { propertyName: [name] },
      },
    ],
  })
}

export const pipelinesOf = ({ store }: Portal, type: string): readonly StoredRecord[] =>
  store.view(['pipeline'], type, (all) => all.filter(({ value }) => value.objectType === type))

export const stagesOf = ({ value }: StoredRecord): readonly Stage[] =>
  // Stored by `addPipeline` in start.ts, from stages.
  value.stages as unknown as readonly Stage[]

export const propertiesOf = ({ value }: StoredRecord): JsonObject => Object(value.properties)
