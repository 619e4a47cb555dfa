/** The values of properties. Some follow from other values, from stages or from associated records. */
import type { JsonObject } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import { associatesOf } from './associations.ts'
import type { ObjectType } from './object-types.ts'
import {
  formatTime,
  objectTypeNamed,
  type Portal,
  pipelinesOf,
  propertiesOf,
  type Stage,
  stagesOf,
} from './portal.ts'

/** A record that has a calculated property. */
interface Subject {
  readonly portal: Portal
  /** The name of its type. */
  readonly type: string
  readonly record: StoredRecord
  readonly stored: JsonObject
}

/** The value of a property; undefined: none. */
type Calculation = (subject: Subject) => unknown

const dealStage = ({ portal, stored }: Subject): Stage | undefined =>
  pipelinesOf(portal, 'deals')
    .flatMap(stagesOf)
    .find(({ id }) => id === stored.dealstage)

/** A property of the record that a lead is associated with: the primary one, otherwise the first. */
const fromAssociate =
  (typeName: string, property: string): Calculation =>
  ({ portal, record }) => {
    const associates = associatesOf(
      portal,
      { type: 'leads', id: record.id },
      objectTypeNamed(typeName),
    )
    const primary = associates.find(({ types }) => types.some(({ label }) => label !== undefined))
    const { id } = primary ?? associates[0] ?? {}
    const associate = id === undefined ? undefined : portal.store.find(typeName, id)
    return associate && propertiesOf(associate)[property]
  }

/** The time of the latest note or task of a record that is not in the future. */
const lastActivity: Calculation = ({ portal, type, record }) => {
  const activities = ['notes', 'tasks'].flatMap((name) =>
    associatesOf(portal, { type, id: record.id }, objectTypeNamed(name)).map(({ id }) =>
      portal.store.find(name, id),
    ),
  )
  const now = formatTime(portal.clock.nowMs())
  const times = activities.map((activity) =>
    String(activity ? propertiesOf(activity).hs_timestamp : ''),
  )
  return times
    .filter((time) => time !== '' && time <= now)
    .sort()
    .at(-1)
}

/** By the type's name, then by the property's. */
const calculations: Readonly<Record<string, Readonly<Record<string, Calculation>>>> = {
  contacts: { notes_last_updated: lastActivity },
  companies: { notes_last_updated: lastActivity },
  deals: {
    notes_last_updated: lastActivity,
    hs_is_closed: (deal) => dealStage(deal)?.metadata.isClosed,
    hs_is_closed_won: (deal) => {
      const stage = dealStage(deal)
      if (!stage) return
      return stage.metadata.isClosed === 'true' && stage.metadata.probability === '1.0'
    },
    hs_deal_stage_probability: (deal) => dealStage(deal)?.metadata.probability,
    amount_in_home_currency: ({
      portal: { settings },
      stored: { amount, deal_currency_code: code },
    }) => ((code ?? settings.currency) === settings.currency ? amount : undefined),
  },
  leads: {
    hs_associated_contact_email: fromAssociate('contacts', 'email'),
    hs_associated_contact_firstname: fromAssociate('contacts', 'firstname'),
    hs_associated_contact_lastname: fromAssociate('contacts', 'lastname'),
    hs_associated_company_domain: fromAssociate('companies', 'domain'),
    hs_associated_company_name: fromAssociate('companies', 'name'),
  },
}

/** The value of a property; undefined: none. */
export const propertyValue = (
  portal: Portal,
  type: ObjectType,
  record: StoredRecord,
  name: string,
): string | undefined => {
  if (name === 'hs_object_id') return record.id
  if (name === type.createdProperty) return formatTime(record.createdAtMs)
  if (name === type.modifiedProperty) return formatTime(record.updatedAtMs)
  const stored = propertiesOf(record)
  const calculate = calculations[type.name]?.[name]
  const found = calculate ? calculate({ portal, type: type.name, record, stored }) : stored[name]
  return found === undefined ? undefined : String(found)
}
