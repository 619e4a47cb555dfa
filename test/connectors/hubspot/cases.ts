/** Cases of the HubSpot connector: each reads or writes every field of a resource in a simulated portal. */
import { connector } from '../../../src/connectors/hubspot/manifest.ts'
import type { Traffic } from '../field-mutations.ts'
import type { Fields, Harness } from './harness.ts'

export interface HubSpotCase {
  readonly name: string
  run(harness: Harness, traffic: Traffic): Promise<unknown>
}

const TYPES = {
  accounts: 'companies',
  contacts: 'contacts',
  leads: 'leads',
  notes: 'notes',
  opportunities: 'deals',
  tasks: 'tasks',
} as const

type Topic = keyof typeof TYPES

const ADDRESS = {
  street1: 'Main 1',
  city: 'Rome',
  state: 'RM',
  country: 'Italy',
  postalCode: '00100',
}

/** Every field that a write may have; references are ids of the app. */
const writes: Readonly<Record<Topic, { readonly create: Fields; readonly update: Fields }>> = {
  accounts: {
    create: {
      accountName: 'New',
      accountOwner: 'Ada Byron',
      description: 'D',
      industry: 'BANKING',
      website: 'https://new.example',
      numberOfEmployees: 7,
      addresses: [{ addressType: 'PRIMARY', ...ADDRESS }],
      phoneNumbers: [{ phoneNumberType: 'PRIMARY', phoneNumber: '5' }],
    },
    update: { industry: 'BANKING', description: null },
  },
  contacts: {
    create: {
      firstName: 'Lise',
      lastName: 'Meitner',
      account: '3',
      addresses: [{ addressType: 'PRIMARY', ...ADDRESS }],
      emailAddresses: [
        { emailAddressType: 'PRIMARY', emailAddress: 'lise@example.org' },
        { emailAddressType: 'WORK', emailAddress: 'work@example.org' },
      ],
      phoneNumbers: [
        { phoneNumberType: 'PRIMARY', phoneNumber: '1' },
        { phoneNumberType: 'MOBILE', phoneNumber: '2' },
        { phoneNumberType: 'FAX', phoneNumber: '3' },
      ],
    },
    update: { lastName: 'M', account: '2' },
  },
  leads: {
    create: {
      leadOwner: 'Ada Byron',
      leadSource: 'Fair',
      leadTitle: 'Physics',
      firstName: 'Chien',
      lastName: 'Wu',
      emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'wu@example.org' }],
    },
    update: { leadTitle: 'More physics', leadOwner: null },
  },
  notes: {
    create: {
      noteContent: 'Hello',
      noteOwner: '1',
      noteContact: '4',
      noteAccount: '3',
      noteOpportunity: '5',
    },
    update: { noteContent: 'Bye', noteContact: null },
  },
  opportunities: {
    create: {
      opportunityName: 'Big',
      opportunityDescription: 'D',
      amount: '0.1',
      opportunityOwner: '1',
      opportunityAccount: '3',
      opportunityStage: 'contractsent',
      closeDate: '2026-12-31',
    },
    update: { opportunityStage: 'contractsent', opportunityAccount: '2' },
  },
  tasks: {
    create: {
      taskSubject: 'Call',
      taskContent: 'Soon',
      taskOwner: '1',
      taskOpportunity: '5',
      taskStatus: 'NOT_STARTED',
      dueDate: '2026-12-31',
    },
    update: { taskStatus: 'IN_PROGRESS', taskOpportunity: null },
  },
}

const topics = Object.keys(TYPES) as readonly Topic[]

/** The latest record of a type in the portal, with its associations. */
const readLatest = ({ portal }: Harness, topic: Topic): unknown => {
  const type = TYPES[topic]
  const { id = '', properties } = portal.list(type).at(-1) ?? {}
  const targets = ['companies', 'contacts', 'deals']
    .filter((to) => !(type === 'companies' || type === to))
    .flatMap((to) =>
      portal.associates(type, String(id), to).map((associate) => ({ to, ...associate })),
    )
  return { properties, targets }
}

const EVENT = { portalId: 62515, eventId: 1, subscriptionId: 2, occurredAt: 3 }

const events = [
  { subscriptionType: 'object.propertyChange', objectTypeId: '0-1', objectId: 4 },
  { subscriptionType: 'company.creation', objectId: 3 },
  { subscriptionType: 'object.deletion', objectTypeId: '0-27', objectId: 8 },
  {
    subscriptionType: 'object.associationChange',
    fromObjectTypeId: '0-46',
    fromObjectId: 7,
    toObjectTypeId: '0-1',
    toObjectId: 4,
  },
  {
    subscriptionType: 'deal.merge',
    primaryObjectId: 5,
    mergedObjectIds: [6],
    newObjectId: 9,
  },
]

export const hubSpotCases: readonly HubSpotCase[] = [
  ...topics.map((topic) => ({
    name: `a listing of ${topic}`,
    run: (harness: Harness) => harness.list(topic),
  })),
  ...topics.map((topic) => ({
    name: `a listing of changed ${topic}`,
    run: (harness: Harness) => harness.list(topic, '2026-11-23T16:59:00.000Z'),
  })),
  ...topics.map((topic) => ({
    name: `one of ${topic}`,
    run: async (harness: Harness) => {
      const { id } = harness.portal.list(TYPES[topic]).at(-1) ?? {}
      return harness.get(topic, String(id))
    },
  })),
  ...topics.map((topic) => ({
    name: `a new record of ${topic}`,
    run: async (harness: Harness) => {
      const shown = await harness.create(topic, writes[topic].create)
      return { shown, app: readLatest(harness, topic) }
    },
  })),
  ...topics.map((topic) => ({
    name: `a changed record of ${topic}`,
    run: async (harness: Harness) => {
      const { id } = harness.portal.list(TYPES[topic]).at(-1) ?? {}
      const shown = await harness.update(topic, String(id), writes[topic].update)
      return { shown, app: readLatest(harness, topic) }
    },
  })),
  { name: 'the stages', run: (harness) => harness.list('stages') },
  { name: 'the users', run: (harness) => harness.list('users') },
  { name: 'the context', run: (harness) => harness.readContext() },
  { name: 'the fields of contacts', run: (harness) => harness.describe('contacts') },
  {
    name: 'archived and merged contacts',
    run: async (harness) => {
      const { portal } = harness
      const [one, two, three] = ['A', 'B', 'C'].map((lastname) =>
        String(portal.create('contacts', { lastname }).id),
      )
      portal.merge('contacts', String(one), String(two))
      portal.archive('contacts', String(three))
      const { deleted } = await harness.list('contacts')
      return [deleted, await harness.get('contacts', String(one))]
    },
  },
  {
    name: 'a contact whose account has a label of users',
    run: async (portalHarness) => {
      const id = String(portalHarness.portal.list('contacts').at(-1)?.id)
      portalHarness.portal.associate('contacts', id, { type: 'companies', id: '2', typeId: 1001 })
      const shown = await portalHarness.update('contacts', id, { account: '2' })
      return { shown, app: readLatest(portalHarness, 'contacts') }
    },
  },
  {
    name: 'a lead of a contact that exists',
    run: (harness) =>
      harness.create('leads', {
        leadTitle: 'Again',
        lastName: 'N',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'emmy@harbour.example' }],
      }),
  },
  {
    name: 'the fields of refused values',
    run: async (harness) => [
      await harness.refusedField('accounts', { accountName: 'A', industry: 'Lamps' }),
      await harness.refusedField('contacts', {
        lastName: 'A',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'emmy@harbour.example' }],
      }),
    ],
  },
  {
    name: 'the events of a webhook',
    run: async (_scene, traffic) =>
      events.map((event) =>
        connector.webhooks?.events({
          headers: {},
          body: [traffic.received({ ...EVENT, ...event })],
        }),
      ),
  },
]
