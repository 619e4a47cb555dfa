/** The HubSpot connector without a HubSpot: mappings, and days in the time zone of an account. */
import { describe, expect, test } from 'vitest'
import { dayIn, noonIn } from '../../src/connectors/hubspot/days.ts'
import { converterOf } from '../../src/definition/mapping/rule.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { context, findResource } from './hubspot/fixtures.ts'

describe('the mapping', () => {
  const rowOf = (name: string, raw: object) => {
    const { row, problems } = createMapper(findResource(name).mapping)(
      { id: '1', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z', ...raw },
      'a0000000-0000-4000-8000-000000000000',
      { context },
    )
    expect(problems).toEqual([])
    return row
  }

  test.each([
    [
      'accounts',
      {
        properties: {
          name: 'Harbour Light',
          hubspot_owner_id: '7',
          numberofemployees: '50',
          notes_last_updated: '1767225600000',
          city: 'Kiel',
          phone: '+49 431',
          domain: 'harbour.example',
        },
        associations: {},
      },
      {
        accountName: 'Harbour Light',
        accountOwner: 'Ada Byron',
        numberOfEmployees: 50,
        lastActivityAt: '2026-01-01T00:00:00.000Z',
        remoteUpdatedAt: '2026-01-02T00:00:00.000Z',
        remoteDeleted: false,
        addresses: [{ addressType: 'PRIMARY', city: 'Kiel' }],
        phoneNumbers: [{ phoneNumberType: 'Primary', phoneNumber: '+49 431' }],
        remoteFields: { properties: { domain: 'harbour.example' } },
      },
    ],
    [
      'contacts',
      {
        properties: { lastname: 'Noether', email: 'e@example.org', mobilephone: '1', tier: 'gold' },
        associations: { companies: ['8', '9'] },
      },
      {
        lastName: 'Noether',
        firstName: null,
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'e@example.org' }],
        phoneNumbers: [{ phoneNumberType: 'Mobile', phoneNumber: '1' }],
        remoteFields: { properties: { tier: 'gold' }, associations: { companies: ['8', '9'] } },
      },
    ],
    [
      'opportunities',
      {
        properties: {
          dealname: 'Lamps',
          amount: '1234567890123456.78',
          dealstage: 'lost1',
          closedate: '2026-03-01T03:00:00Z',
          deal_currency_code: 'USD',
        },
        associations: { companies: [] },
      },
      {
        opportunityName: 'Lamps',
        amount: '1234567890123456.78',
        opportunityStatus: 'lost',
        opportunityState: 'LOST',
        opportunityAccount: null,
        closeDate: '2026-02-28T00:00:00.000Z',
        currency: 'USD',
      },
    ],
    [
      'leads',
      {
        properties: {
          hs_lead_name: 'Emmy',
          hubspot_owner_id: '404',
          hs_associated_contact_lastname: 'Noether',
          hs_associated_contact_email: 'e@example.org',
          hs_associated_company_name: 'Göttingen',
        },
        associations: {},
      },
      {
        leadTitle: 'Emmy',
        leadOwner: null,
        lastName: 'Noether',
        company: 'Göttingen',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'e@example.org' }],
      },
    ],
    [
      'tasks',
      {
        properties: {
          hs_task_subject: 'Call',
          hs_task_status: 'COMPLETED',
          hs_timestamp: '2026-07-01T02:00:00Z',
          hs_task_completion_date: '1782878400000',
        },
        associations: { deals: [] },
      },
      {
        taskSubject: 'Call',
        taskStatus: 'COMPLETED',
        dueDate: '2026-06-30T00:00:00.000Z',
        completedDate: '2026-07-01T00:00:00.000Z',
      },
    ],
    [
      'notes',
      { properties: { hs_note_body: '<p>Hi</p>' }, associations: {} },
      { noteContent: '<p>Hi</p>', noteTitle: null, noteContact: null },
    ],
    [
      'stages',
      {
        label: 'Won',
        pipeline: { label: 'Sales' },
        displayOrder: 3,
        metadata: { probability: '0.29' },
      },
      { stageName: 'Won', pipelineName: 'Sales', displayOrder: 3, probability: '29' },
    ],
    [
      'users',
      { firstName: 'Ada', lastName: 'Byron', email: 'a@example.org', archived: true },
      { name: 'Ada Byron', email: 'a@example.org', isActive: false, remoteDeleted: false },
    ],
  ])('of %s maps each property to its field', (name, raw, expected) => {
    expect(rowOf(name, raw)).toMatchObject(expected)
  })

  test('resolves references to records of the same credential', () => {
    const contact = rowOf('contacts', { properties: {}, associations: { companies: ['8', '9'] } })
    const company = rowOf('accounts', { id: '8', properties: {}, associations: {} })
    expect(contact.account).toBe(company.id)
  })
})

test.each(['accounts', 'contacts', 'leads', 'opportunities', 'notes', 'tasks'])(
  'every property and association that the mapping of %s names is read',
  (name) => {
    const { mapping, listRequest } = findResource(name)
    const { path } = listRequest({ since: undefined, cursor: undefined, context })
    const { searchParams } = new URL(path, 'http://hubspot.example')
    const read = [...searchParams.values()].flatMap((value) => value.split(','))
    const named = Object.values(mapping.rules).flatMap((rule) => {
      const { from = '', sets = [] } = converterOf(rule) ?? {}
      return [from, ...sets].flatMap((path) => {
        const [group, name] = path.split('.')
        return group !== 'contact' && name !== undefined ? [name] : []
      })
    })
    expect(named.length).toBeGreaterThan(1)
    for (const path of named) expect(read).toContain(path)
  },
)

describe('the days of an account', () => {
  test.each([
    ['US/Eastern', '2026-03-08', '2026-03-08T16:00:00.000Z'],
    ['US/Eastern', '2026-03-07', '2026-03-07T17:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T22:00:00.000Z'],
    ['UTC', '2026-01-01', '2026-01-01T12:00:00.000Z'],
  ])('in %s: noon of %s is %s', (zone, day, instant) => {
    expect(noonIn(zone, day)).toBe(instant)
    expect(dayIn(zone, instant)).toBe(day)
  })
})
