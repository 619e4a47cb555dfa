/**
 * The records that the API must show for the records of a portal, computed from the documented meaning of each
 * property.
 */
import type { JsonObject } from '../../simulators/engine/json.ts'
import type { PortalControls } from '../../simulators/hubspot/start.ts'

type Values = Readonly<Record<string, string | undefined>>

export interface Expectation {
  readonly portal: PortalControls
  /** Full names of the owners, by id. */
  readonly owners: Readonly<Record<string, string>>
  /** The id in this API of a record of the app. */
  idOf(topic: string, remoteId: string | undefined): string | null
}

/** The fields of a record of the app; undefined values are expected to be null. */
type Expect = (
  properties: Values,
  id: string,
  facts: Expectation,
) => Readonly<Record<string, unknown>>

const PRIMARY_COMPANY = { contacts: 1, deals: 5 }

/** The first associated record, or the primary one. */
const associate = (
  { portal }: Expectation,
  [type, id]: readonly [string, string],
  to: string,
  primary?: number,
): string | undefined => {
  const found = portal.associates(type, id, to)
  return (found.find(({ typeId }) => typeId === primary) ?? found[0])?.id
}

/** The calendar day of a time in the time zone of the portal. */
const dayOf = (time: string | undefined): string | undefined => {
  if (time === undefined) return undefined
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'US/Eastern' }).format(new Date(time))
  return `${day}T00:00:00.000Z`
}

/** The entries that have a value. */
const keepPresent = (type: string, entries: readonly Readonly<Record<string, unknown>>[]) =>
  entries
    .filter((entry) =>
      Object.entries(entry).some(([name, value]) => name !== type && value !== undefined),
    )
    .map((entry) =>
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, value ?? null])),
    )

const phones = (numbers: Values) =>
  keepPresent(
    'phoneNumberType',
    Object.entries(numbers).map(([phoneNumberType, phoneNumber]) => ({
      phoneNumberType,
      phoneNumber,
    })),
  )

const emails = (addresses: Values) =>
  keepPresent(
    'emailAddressType',
    Object.entries(addresses).map(([emailAddressType, emailAddress]) => ({
      emailAddressType,
      emailAddress,
    })),
  )

const address = ({ address: street1, city, state, country, zip: postalCode }: Values) => ({
  addressType: 'PRIMARY',
  street1,
  city,
  state,
  country,
  postalCode,
})

const STATUSES: Values = { closedwon: 'won', closedlost: 'lost' }

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

/** The type of the records and the expected fields, by topic. */
export const expected: Readonly<Record<string, readonly [type: string, Expect]>> = {
  accounts: [
    'companies',
    (company, _id, { owners }) => ({
      accountName: company.name,
      accountOwner: owners[company.hubspot_owner_id ?? ''],
      description: company.description,
      industry: company.industry,
      website: company.website,
      numberOfEmployees: numberOf(company.numberofemployees),
      lastActivityAt: company.notes_last_updated,
      addresses: keepPresent('addressType', [address(company)]),
      phoneNumbers: phones({ Primary: company.phone }),
    }),
  ],
  contacts: [
    'contacts',
    (contact, id, facts) => {
      const account = associate(facts, ['contacts', id], 'companies', PRIMARY_COMPANY.contacts)
      return {
        firstName: contact.firstname,
        lastName: contact.lastname,
        account: account && {
          id: facts.idOf('accounts', account),
          remoteId: account,
          accountName: Object(facts.portal.find('companies', account)?.properties).name,
        },
        addresses: keepPresent('addressType', [address(contact)]).map((entry) => ({
          ...entry,
          street2: null,
          countrySubdivision: null,
        })),
        emailAddresses: emails({ PRIMARY: contact.email, WORK: contact.work_email }),
        phoneNumbers: phones({
          Primary: contact.phone,
          Mobile: contact.mobilephone,
          Fax: contact.fax,
        }),
        lastActivityAt: contact.notes_last_updated,
      }
    },
  ],
  leads: [
    'leads',
    (lead, _id, { owners }) => ({
      leadOwner: owners[lead.hubspot_owner_id ?? ''],
      leadSource: lead.hs_lead_source,
      leadTitle: lead.hs_lead_name,
      company: lead.hs_associated_company_name,
      firstName: lead.hs_associated_contact_firstname,
      lastName: lead.hs_associated_contact_lastname,
      addresses: [],
      emailAddresses: emails({ PRIMARY: lead.hs_associated_contact_email }),
      phoneNumbers: [],
    }),
  ],
  notes: [
    'notes',
    (note, id, facts) => ({
      noteOwner: facts.idOf('users', note.hubspot_owner_id),
      noteTitle: null,
      noteContent: note.hs_note_body,
      noteContact: facts.idOf('contacts', associate(facts, ['notes', id], 'contacts')),
      noteAccount: facts.idOf('accounts', associate(facts, ['notes', id], 'companies')),
      noteOpportunity: facts.idOf('opportunities', associate(facts, ['notes', id], 'deals')),
    }),
  ],
  opportunities: [
    'deals',
    (deal, id, facts) => ({
      opportunityName: deal.dealname,
      opportunityDescription: deal.description,
      amount: numberOf(deal.amount),
      opportunityOwner: facts.idOf('users', deal.hubspot_owner_id),
      opportunityAccount: facts.idOf(
        'accounts',
        associate(facts, ['deals', id], 'companies', PRIMARY_COMPANY.deals),
      ),
      opportunityStage: facts.idOf('stages', deal.dealstage),
      opportunityStatus: STATUSES[deal.dealstage ?? ''] ?? 'open',
      opportunityState: (STATUSES[deal.dealstage ?? ''] ?? 'open').toUpperCase(),
      // The currency of the account.
      currency: deal.deal_currency_code ?? 'USD',
      closeDate: dayOf(deal.closedate),
      lastActivityAt: deal.notes_last_updated,
    }),
  ],
  tasks: [
    'tasks',
    (task, id, facts) => ({
      taskSubject: task.hs_task_subject,
      taskContent: task.hs_task_body,
      taskOwner: facts.idOf('users', task.hubspot_owner_id),
      taskOpportunity: facts.idOf('opportunities', associate(facts, ['tasks', id], 'deals')),
      taskStatus: task.hs_task_status,
      dueDate: dayOf(task.hs_timestamp),
      completedDate: dayOf(task.hs_task_completion_date),
    }),
  ],
}

/** The record that the API must show, without the service's own id and times. */
export const expectedRecord = (
  topic: string,
  { id, properties, createdAt, updatedAt }: JsonObject,
  facts: Expectation,
): Readonly<Record<string, unknown>> => {
  const [, expect] = expected[topic] ?? []
  if (!expect) throw new Error(`Unknown topic: ${topic}`)
  const fields = expect(Object(properties), String(id), facts)
  return {
    remoteId: id,
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null])),
    remoteCreatedAt: createdAt,
    remoteUpdatedAt: updatedAt,
    remoteDeleted: false,
  }
}
