/** Many records for first syncs and measurements. */
import type { JsonObject } from '../engine/json.ts'
import { objectTypeNamed, type Portal } from './portal.ts'
import { createRecord } from './records.ts'

const STAGES = ['appointmentscheduled', 'contractsent', 'closedwon', 'closedlost']

interface Link {
  readonly id: string
  readonly typeId: number
}

/** Adds `count` companies, contacts, deals, leads, notes and tasks each, associated with each other. */
export const addSampleRecords = (portal: Portal, count: number): void => {
  const create = (name: string, properties: JsonObject, links: readonly Link[] = []): string => {
    const associations = links.map(({ id, typeId }) => ({
      to: { id },
      types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: typeId }],
    }))
    const input = { properties, associations }
    return createRecord(portal, objectTypeNamed(name), input, 'CRM_UI').id
  }
  const [owner] = portal.store.list('owner')
  const owned = owner ? { hubspot_owner_id: owner.id } : {}
  for (let at = 0; at < count; at++) {
    const day = `2026-0${1 + (at % 9)}-${10 + (at % 18)}T09:00:00Z`
    const company = create('companies', {
      name: `Company ${at}`,
      domain: `company${at}.example`,
      phone: `+1 555 ${1000 + at}`,
      city: 'Boston',
      country: 'United States',
      numberofemployees: String(10 + at),
      ...owned,
    })
    const contact = create(
      'contacts',
      {
        email: `person${at}@company${at}.example`,
        firstname: `First ${at}`,
        lastname: `Last ${at}`,
        jobtitle: 'Engineer',
        lifecyclestage: 'lead',
        ...owned,
      },
      [{ id: company, typeId: 1 }],
    )
    const links = [
      { id: contact, typeId: 3 },
      { id: company, typeId: 5 },
    ]
    const deal = create(
      'deals',
      {
        dealname: `Deal ${at}`,
        dealstage: STAGES[at % STAGES.length],
        closedate: day,
        amount: `${1000 + at}.${10 + (at % 90)}`,
        ...owned,
      },
      links,
    )
    create('leads', { hs_lead_name: `Lead ${at}`, hs_lead_label: 'WARM', ...owned }, [
      { id: contact, typeId: 578 },
    ])
    create('notes', { hs_timestamp: day, hs_note_body: `<p>Note ${at}</p>`, ...owned }, [
      { id: contact, typeId: 202 },
    ])
    create('tasks', { hs_timestamp: day, hs_task_subject: `Task ${at}`, ...owned }, [
      { id: deal, typeId: 216 },
    ])
  }
}
