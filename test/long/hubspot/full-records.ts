/** A record of each type with a value of every property that the connector reads. */
import type { JsonObject } from '../../simulators/engine/json.ts'
import { defineProperty } from '../../simulators/hubspot/property-definitions.ts'
import type { PortalControls, Target } from '../../simulators/hubspot/start.ts'

const ADDRESS = {
  address: '1 Harbour Street',
  city: 'Boston',
  state: 'MA',
  zip: '02110',
  country: 'United States',
}

export interface FullRecords {
  readonly owner: string
  readonly company: string
  readonly contact: string
  readonly deal: string
  readonly lead: string
  readonly note: string
  readonly task: string
}

const TIERS = { options: ['gold', 'tin'] }

/** Adds custom properties of contacts, and the records, which are associated with each other. @returns their ids */
export const addFullRecords = (portal: PortalControls): FullRecords => {
  portal.addProperty('contacts', defineProperty('tier', 'enumeration', TIERS))
  portal.addProperty('contacts', defineProperty('visits', 'number'))
  const owner = portal.addOwner('ada@example.com', 'Ada', 'Byron')
  const add = (type: string, properties: JsonObject, ...targets: readonly Target[]): string =>
    String(portal.create(type, { ...properties, hubspot_owner_id: owner }, targets).id)
  const to = (type: string, id: string, typeId: number): Target => ({ type, id, typeId })

  const other = add('companies', { name: 'Former employer' })
  const company = add('companies', {
    name: 'Harbour Light',
    domain: 'harbour.example',
    website: 'https://harbour.example',
    description: 'Lamps',
    industry: 'RETAIL',
    numberofemployees: '50',
    phone: '+1 617 555',
    annualrevenue: '1000000',
    lifecyclestage: 'customer',
    type: 'PARTNER',
    address2: '4th',
    ...ADDRESS,
  })
  const contact = add(
    'contacts',
    {
      firstname: 'Emmy',
      lastname: 'Noether',
      email: 'emmy@harbour.example',
      work_email: 'work@harbour.example',
      hs_additional_emails: 'e@harbour.example',
      phone: '+1 1',
      mobilephone: '+1 2',
      fax: '+1 3',
      jobtitle: 'Professor',
      lifecyclestage: 'lead',
      hs_lead_status: 'OPEN',
      tier: 'gold',
      visits: '3',
      ...ADDRESS,
    },
    to('companies', other, 279),
    to('companies', company, 1),
  )
  const deal = add(
    'deals',
    {
      dealname: 'Lamps',
      description: 'Many',
      amount: '1234567.89',
      dealstage: 'closedwon',
      dealtype: 'newbusiness',
      deal_currency_code: 'EUR',
      closedate: '2026-03-01T03:00:00Z',
    },
    to('companies', other, 341),
    to('companies', company, 5),
  )
  const lead = add(
    'leads',
    {
      hs_lead_name: 'More lamps',
      hs_lead_source: 'Website',
      hs_lead_type: 'UPSELL',
      hs_lead_label: 'HOT',
    },
    to('contacts', contact, 578),
    to('companies', company, 610),
  )
  const note = add(
    'notes',
    {
      hs_timestamp: '2026-07-01T02:00:00Z',
      hs_note_body: '<p>Hello</p>',
      hs_attachment_ids: '7;8',
    },
    to('contacts', contact, 202),
    to('companies', company, 190),
    to('deals', deal, 214),
  )
  const task = add(
    'tasks',
    {
      hs_timestamp: '2026-07-01T02:00:00Z',
      hs_task_subject: 'Call',
      hs_task_body: 'Soon',
      hs_task_status: 'COMPLETED',
      hs_task_priority: 'HIGH',
      hs_task_type: 'CALL',
    },
    to('deals', deal, 216),
  )
  return { owner, company, contact, deal, lead, note, task }
}
