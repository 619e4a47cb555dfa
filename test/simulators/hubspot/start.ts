/** A HubSpot simulator with its controls. */
import type { Account } from '../engine/accounts.ts'
import type { JsonObject } from '../engine/json.ts'
import { type ListeningSimulator, listen } from '../engine/listen.ts'
import { createSimulator, type Simulator } from '../engine/simulator.ts'
import type { StoredRecord } from '../engine/store.ts'
import type { StartOptions } from '../serve.ts'
import { associate, associatesOf, associationTypes, dissociate } from './associations.ts'
import { mergeRecords } from './merges.ts'
import { addPipeline, fillNewPortal, type NewPipeline } from './new-portal.ts'
import { objectTypeNamed, openPortal, type Portal, type PortalSettings } from './portal.ts'
import { createProfile, type HubSpotOptions } from './profile.ts'
import type { PropertyDefinition } from './property-definitions.ts'
import { findRecord, isArchived } from './record-lookup.ts'
import { showWritten } from './record-view.ts'
import { archiveRecord, createRecord, purgeRecord, restoreRecord, updateRecord } from './records.ts'
import { addSampleRecords } from './sample-records.ts'

/** A record that another one is associated with. */
export interface Target {
  readonly type: string
  readonly id: string
  /** The type of the association towards this record: 279 from a contact to a company. */
  readonly typeId: number
}

/** A portal as its own users see it: their changes need no token and count against no limit. */
export interface PortalControls {
  readonly id: string
  /** Returns the record as a response to a write has it. */
  create(type: string, properties: JsonObject, targets?: readonly Target[]): JsonObject
  update(type: string, id: string, properties: JsonObject): JsonObject
  /** Puts a record into the recycle bin. */
  archive(type: string, id: string): void
  /** Takes a record out of the recycle bin. */
  restore(type: string, id: string): void
  /** Removes a record without a trace, as a privacy deletion does. */
  purge(type: string, id: string): void
  /** Merges the first record into the second; a new one replaces both. */
  merge(type: string, from: string, into: string): JsonObject
  find(type: string, id: string): JsonObject | undefined
  /** The records that are not archived. */
  list(type: string): readonly JsonObject[]
  /** The records of a type that a record is associated with, in the order of ids. */
  associates(type: string, id: string, to: string): readonly Omit<Target, 'type'>[]
  associate(type: string, id: string, target: Target): void
  dissociate(type: string, id: string, target: Omit<Target, 'typeId'>): void
  /** Adds a custom property; made with `defineProperty`. */
  addProperty(type: string, definition: PropertyDefinition): void
  removeProperty(type: string, name: string): void
  /** Adds a user with an owner. Returns the owner's id. */
  addOwner(email: string, firstName: string, lastName: string): string
  /** Deactivates the user. */
  archiveOwner(id: string): void
  addPipeline(pipeline: NewPipeline): void
  /** Adds `count` companies, contacts, deals, leads, notes and tasks each. */
  addSamples(count: number): void
}

export interface HubSpot {
  /** `id` is a number. */
  addPortal(id: string, name: string, settings?: Partial<PortalSettings>): PortalControls
}

export interface HubSpotStartOptions
  extends StartOptions,
    Partial<Pick<HubSpotOptions, 'webhookFormat' | 'appKind'>>,
    Partial<Pick<PortalSettings, 'searchLagMs' | 'undefinedProperties'>> {}

const requireStored = (portal: Portal, type: string, id: string): StoredRecord => {
  const record = findRecord(portal, objectTypeNamed(type), id)
  if (!record) throw new Error(`There is no ${type} ${id}`)
  return record
}

const recordControls = (portal: Portal) => {
  const show = (type: string, record: StoredRecord): JsonObject =>
    showWritten(portal, objectTypeNamed(type), record)
  const stored = (type: string, id: string) => requireStored(portal, type, id)
  const link = (type: string, id: string, target: Target): void => {
    const { type: to, id: toId, typeId } = target
    const known = associationTypes.find(
      (candidate) => candidate.from === type && candidate.to === to && candidate.typeId === typeId,
    )
    if (!known) throw new Error(`There is no association type ${typeId} from ${type} to ${to}`)
    associate(portal, { type, id }, { type: to, id: toId }, known)
  }
  return {
    create: (type: string, properties: JsonObject, targets: readonly Target[] = []) => {
      const associations = targets.map(({ id, typeId }) => ({
        to: { id },
        types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: typeId }],
      }))
      const input = { properties, associations }
      return show(type, createRecord(portal, objectTypeNamed(type), input, 'CRM_UI'))
    },
    update: (type: string, id: string, properties: JsonObject) =>
      show(
        type,
        updateRecord(portal, objectTypeNamed(type), stored(type, id), properties, 'CRM_UI'),
      ),
    archive: (type: string, id: string) =>
      archiveRecord(portal, objectTypeNamed(type), stored(type, id), 'CRM_UI'),
    restore: (type: string, id: string) =>
      restoreRecord(portal, objectTypeNamed(type), stored(type, id)),
    purge: (type: string, id: string) =>
      purgeRecord(portal, objectTypeNamed(type), stored(type, id)),
    merge: (type: string, from: string, into: string) => {
      const [other, primary] = [stored(type, from), stored(type, into)]
      return show(type, mergeRecords(portal, objectTypeNamed(type), primary, other, 'CRM_UI'))
    },
    find: (type: string, id: string) => {
      const record = findRecord(portal, objectTypeNamed(type), id)
      return record && show(type, record)
    },
    list: (type: string) =>
      portal.store
        .list(type)
        .filter((record) => !isArchived(record))
        .map((record) => show(type, record)),
    associates: (type: string, id: string, to: string) =>
      associatesOf(portal, { type, id }, objectTypeNamed(to)).flatMap(({ id: toId, types }) =>
        types.map(({ typeId }) => ({ id: toId, typeId })),
      ),
    associate: link,
    dissociate: (type: string, id: string, to: Omit<Target, 'typeId'>) =>
      dissociate(portal, { type, id }, { type: to.type, id: to.id }),
  }
}

const addOwner = (
  { store }: Portal,
  [email, firstName, lastName]: readonly [string, string, string],
): string => {
  const id = store.nextId('owner')
  const userId = 1000 + Number(id)
  store.insert('owner', id, { email, firstName, lastName, userId, archived: false })
  store.insert('users', store.nextId('record'), {
    properties: {
      hs_email: email,
      hs_given_name: firstName,
      hs_family_name: lastName,
      hs_internal_user_id: String(userId),
      hs_deactivated: 'false',
    },
    source: 'CRM_UI',
  })
  return id
}

const archiveOwner = ({ store }: Portal, id: string): void => {
  const owner = store.find('owner', id)
  if (!owner) throw new Error(`There is no owner ${id}`)
  store.replace('owner', id, { ...owner.value, archived: true })
}

const controlsOf = (portal: Portal): PortalControls => ({
  id: portal.account.id,
  ...recordControls(portal),
  addProperty: (type, definition) => {
    // A definition is JSON.
    const content = { ...definition, isCustom: true } as unknown as JsonObject
    portal.store.insert(`property ${type}`, definition.name, { definition: content })
  },
  removeProperty: (type, name) => portal.store.remove(`property ${type}`, name),
  addOwner: (...person) => addOwner(portal, person),
  archiveOwner: (id) => archiveOwner(portal, id),
  addPipeline: (pipeline) => addPipeline(portal, pipeline),
  addSamples: (count) => addSampleRecords(portal, count),
})

/** A simulator without a socket and without portals. */
export const createHubSpot = ({
  webhookFormat = 'object',
  appKind = 'oauth',
  searchLagMs = 2000,
  undefinedProperties = 'refused',
  ...options
}: HubSpotStartOptions = {}): Simulator & HubSpot => {
  const portals = new Map<string, Portal>()
  const portalOf = ({ id }: Account): Portal => {
    const portal = portals.get(id)
    if (!portal) throw new Error(`Add the portal ${id} with addPortal`)
    return portal
  }
  const simulator = createSimulator(createProfile({ portalOf, webhookFormat, appKind }), options)

  const addPortal: HubSpot['addPortal'] = (id, name, settings = {}) => {
    const portal = openPortal(simulator.accounts.add(id, name), simulator.clock, {
      timeZone: 'US/Eastern',
      currency: 'USD',
      additionalCurrencies: [],
      hasLeads: true,
      maxSearchResults: 10_000,
      searchLagMs,
      undefinedProperties,
      ...settings,
    })
    portals.set(id, portal)
    fillNewPortal(portal)
    return controlsOf(portal)
  }
  return { ...simulator, addPortal }
}

const DAY_MS = 86_400_000

/** Starts a simulator with one portal, `62515`, which has existed for a day. */
export const start = async (
  options: HubSpotStartOptions = {},
): Promise<ListeningSimulator & HubSpot> => {
  const simulator = createHubSpot(options)
  simulator.clock.advance(-DAY_MS)
  const portal = simulator.addPortal('62515', 'Acme Gardens')
  portal.addOwner('owner@example.com', 'Olive', 'Owner')
  portal.addSamples(options.records ?? 0)
  simulator.clock.advance(DAY_MS)
  return { ...(await listen(simulator, options)), addPortal: simulator.addPortal }
}
