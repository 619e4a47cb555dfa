/** The HubSpot simulator: its records behave as the vendor documents. */
import { describe, expect, test } from 'vitest'
import { defineProperty } from './hubspot/property-definitions.ts'
import { errorOf, idsOf, linkTo, NOON, openPortal } from './hubspot-client.ts'

const codesOf = ({ json }: { readonly json: { errors?: { code: string }[] } }) =>
  json.errors?.map(({ code }) => code)

describe('a record', () => {
  test('is created, read, changed and archived', async () => {
    const { send, post, simulator } = openPortal()
    const created = await post('/objects/V/contacts', {
      properties: { email: 'Amy@Example.com', firstname: 'Amy', phone: '' },
    })
    const time = '2026-11-23T17:00:00.250Z'
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({
      createdAt: time,
      updatedAt: time,
      archived: false,
      properties: { email: 'amy@example.com', firstname: 'Amy', lastmodifieddate: time },
    })
    expect(created.json.properties).not.toHaveProperty('phone')
    const path = `/objects/V/contacts/${created.json.id}`
    simulator.clock.advance(1000)
    const changed = await send('PATCH', path, { body: { properties: { firstname: '' } } })
    expect(changed.json.properties).not.toHaveProperty('firstname')
    expect(changed.json.updatedAt).toBe('2026-11-23T17:00:01.250Z')
    const read = await send('GET', `${path}?properties=firstname,lifecyclestage`)
    expect(read.json.properties).toEqual({
      firstname: null,
      lifecyclestage: null,
      hs_object_id: created.json.id,
      createdate: time,
      lastmodifieddate: '2026-11-23T17:00:01.250Z',
    })
    simulator.clock.advance(1000)
    expect((await send('DELETE', path)).status).toBe(204)
    expect(errorOf(await send('GET', path))).toEqual([404, 'OBJECT_NOT_FOUND'])
    expect((await send('GET', `${path}?archived=true`)).json).toMatchObject({
      archived: true,
      archivedAt: '2026-11-23T17:00:02.250Z',
    })
    simulator.assertSound()
  })

  test('does not change by a write that changes nothing', async () => {
    const { send, portal, simulator } = openPortal()
    const { id } = portal.create('companies', { name: 'Acme', numberofemployees: '5' })
    simulator.clock.advance(1000)
    const body = { properties: { name: 'Acme' } }
    const { json } = await send('PATCH', `/objects/V/companies/${id}`, { body })
    expect(json.updatedAt).toBe(new Date(NOON).toISOString())
  })

  test.each<[string, string, Record<string, string>, string]>([
    ['a property that does not exist', 'contacts', { firstnam: 'Amy' }, 'PROPERTY_DOESNT_EXIST'],
    ['a read-only property', 'contacts', { hs_object_id: '7' }, 'READ_ONLY_VALUE'],
    ['a calculated property', 'deals', { hs_is_closed: 'true' }, 'READ_ONLY_VALUE'],
    ['an option', 'contacts', { lifecyclestage: 'Lead' }, 'INVALID_OPTION'],
    ['an owner', 'contacts', { hubspot_owner_id: '99' }, 'INVALID_OPTION'],
    ['a stage', 'deals', { dealstage: 'won' }, 'INVALID_OPTION'],
    ['a stage of another pipeline', 'leads', { hs_pipeline_stage: 'closedwon' }, 'INVALID_OPTION'],
    ['a currency', 'deals', { deal_currency_code: 'EUR' }, 'INVALID_OPTION'],
    ['a number', 'deals', { amount: '1,000' }, 'INVALID_DOUBLE'],
    ['a time', 'deals', { closedate: 'tomorrow' }, 'INVALID_DATE'],
    ['an e-mail address', 'contacts', { email: 'amy' }, 'INVALID_EMAIL'],
  ])('is rejected for %s, which the error names', async (_what, type, properties, code) => {
    const { post } = openPortal()
    const reply = await post(`/objects/V/${type}`, { properties })
    expect(errorOf(reply)).toEqual([400, 'VALIDATION_ERROR'])
    expect(codesOf(reply)).toEqual([code])
    const [name] = Object.keys(properties)
    expect(reply.json.errors[0].context).toEqual({ propertyName: [name] })
    expect(reply.json.message).toContain('Property values were not valid')
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['contacts', { phone: '1' }, ['email', 'firstname', 'lastname']],
    ['companies', { phone: '1' }, ['name', 'domain']],
    ['deals', { amount: '1' }, ['dealname', 'dealstage']],
    ['leads', {}, ['hs_lead_name']],
    ['notes', { hs_note_body: 'x' }, ['hs_timestamp']],
    ['tasks', {}, ['hs_timestamp']],
  ])('of %s needs some properties', async (type, properties, missing) => {
    const { post } = openPortal()
    const reply = await post(`/objects/V/${type}`, { properties })
    expect(errorOf(reply)).toEqual([400, 'VALIDATION_ERROR'])
    expect(reply.json.context).toEqual({ properties: missing })
  })

  test('with the e-mail address of another contact is a conflict that names it', async () => {
    const { post, send, portal } = openPortal()
    const first = portal.create('contacts', { email: 'amy@example.com' })
    const second = portal.create('contacts', { email: 'bob@example.com' })
    const body = { properties: { email: 'AMY@example.com' } }
    for (const reply of [
      await post('/objects/V/contacts', body),
      await send('PATCH', `/objects/V/contacts/${second.id}`, { body }),
    ]) {
      expect(errorOf(reply)).toEqual([409, 'CONFLICT'])
      expect(reply.json.message).toBe(`Contact already exists. Existing ID: ${first.id}`)
    }
    portal.archive('contacts', String(first.id))
    expect((await post('/objects/V/contacts', body)).status).toBe(201)
    expect(() => portal.restore('contacts', String(first.id))).toThrow('already exists')
  })

  test('is found by a unique property', async () => {
    const { send, portal } = openPortal()
    portal.addProperty('companies', defineProperty('code', 'string', { hasUniqueValue: true }))
    const { id } = portal.create('companies', { name: 'A', code: 'X1' })
    const found = await send('GET', '/objects/V/companies/X1?idProperty=code&properties=code')
    expect(found.json).toMatchObject({ id, properties: { code: 'X1' } })
    const refused = await send('GET', '/objects/V/companies/A?idProperty=name')
    expect(errorOf(refused)).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('keeps days and times as the vendor writes them', async () => {
    const { portal } = openPortal()
    portal.addProperty('contacts', defineProperty('birthday', 'date'))
    const create = (birthday: string) => portal.create('contacts', { lastname: 'A', birthday })
    expect(create('2026-11-23').properties).toMatchObject({ birthday: '2026-11-23' })
    expect(create('1795392000000').properties).toMatchObject({ birthday: '2026-11-23' })
    expect(() => create('2026-11-23T09:00:00Z')).toThrow('not valid')
    const { properties } = portal.create('deals', {
      dealname: 'A',
      dealstage: 'closedwon',
      closedate: '1795392000000',
      amount: '10.50',
    })
    expect(properties).toMatchObject({
      closedate: '2026-11-23T00:00:00.000Z',
      amount: '10.50',
      pipeline: 'default',
      hs_is_closed: 'true',
      hs_is_closed_won: 'true',
      hs_deal_stage_probability: '1.0',
    })
  })

  test('has the time of its completion, if it is a completed task', async () => {
    const { portal, simulator } = openPortal()
    const task = portal.create('tasks', { hs_timestamp: '1782878400000' })
    const readCompletion = () =>
      Object(portal.find('tasks', String(task.id))?.properties).hs_task_completion_date
    const complete = (status: string) =>
      portal.update('tasks', String(task.id), { hs_task_status: status })
    expect(readCompletion()).toBeUndefined()
    complete('COMPLETED')
    simulator.clock.advance(1000)
    complete('COMPLETED')
    expect(readCompletion()).toBe(new Date(NOON).toISOString())
    complete('WAITING')
    expect(readCompletion()).toBeUndefined()
  })

  test('shows its primary contact and its company, if it is a lead', async () => {
    const { send, portal } = openPortal()
    const [amy, ben] = ['Amy', 'Ben'].map((firstname) => portal.create('contacts', { firstname }))
    const acme = portal.create('companies', { name: 'Acme' })
    const lead = portal.create('leads', { hs_lead_name: 'Lamps' }, [
      { type: 'contacts', id: String(amy?.id), typeId: 608 },
      { type: 'contacts', id: String(ben?.id), typeId: 578 },
      { type: 'companies', id: String(acme.id), typeId: 610 },
    ])
    const names = 'hs_associated_contact_firstname,hs_associated_company_name'
    const { json } = await send('GET', `/objects/V/leads/${lead.id}?properties=${names}`)
    expect(json.properties).toMatchObject({
      hs_associated_contact_firstname: 'Ben',
      hs_associated_company_name: 'Acme',
    })
  })

  test('that results from a merge is a new one, which the old ids find', async () => {
    const { send, post, portal } = openPortal()
    const company = portal.create('companies', { name: 'Acme' })
    const link = { type: 'companies', id: String(company.id), typeId: 279 }
    const first = portal.create('contacts', { email: 'a@example.com', firstname: 'Amy' })
    const second = portal.create('contacts', { email: 'b@example.com', phone: '1' }, [link])
    const { status, json } = await post('/objects/V/contacts/merge', {
      primaryObjectId: first.id,
      objectIdToMerge: second.id,
    })
    expect(status).toBe(200)
    expect(json.properties).toMatchObject({
      email: 'a@example.com',
      firstname: 'Amy',
      phone: '1',
      hs_merged_object_ids: `${first.id};${second.id}`,
    })
    for (const id of [first.id, second.id])
      expect((await send('GET', `/objects/V/contacts/${id}`)).json.id).toBe(json.id)
    expect(idsOf(await send('GET', '/objects/V/contacts'))).toEqual([json.id])
    const companies = await send('GET', `/objects/V/contacts/${json.id}/associations/companies`)
    expect(companies.json.results).toMatchObject([{ toObjectId: company.id }])
    const notes = await post('/objects/V/notes/merge', {
      primaryObjectId: '1',
      objectIdToMerge: '2',
    })
    expect(notes.status).toBe(404)
  })
})

describe('a list', () => {
  test('has pages that survive deletions in between', async () => {
    const { send, portal } = openPortal()
    const ids = Array.from({ length: 25 }, (_, index) =>
      String(portal.create('companies', { name: `Company ${index}` }).id),
    )
    const first = await send('GET', '/objects/V/companies?properties=name')
    expect(idsOf(first)).toEqual(ids.slice(0, 10))
    for (const id of ids.slice(0, 5)) portal.archive('companies', id)
    portal.purge('companies', ids[10] ?? '')
    const { after } = first.json.paging.next
    const second = await send('GET', `/objects/V/companies?limit=100&after=${after}`)
    expect(idsOf(second)).toEqual(ids.slice(11))
    expect(second.json).not.toHaveProperty('paging')
    expect(idsOf(await send('GET', '/objects/V/companies?archived=true'))).toEqual(ids.slice(0, 5))
    const elsewhere = await send('GET', `/objects/V/contacts?after=${after}`)
    expect(errorOf(elsewhere)).toEqual([400, 'VALIDATION_ERROR'])
    expect(errorOf(await send('GET', '/objects/V/companies?after=10'))[0]).toBe(400)
  })

  test('has the associations that are requested', async () => {
    const { send, portal } = openPortal()
    const company = portal.create('companies', { name: 'Acme' })
    const link = { type: 'companies', id: String(company.id), typeId: 1 }
    portal.create('contacts', { lastname: 'A' }, [link])
    portal.create('contacts', { lastname: 'B' })
    const { json } = await send(
      'GET',
      '/objects/V/contacts?associations=companies&associations=deals',
    )
    expect(json.results[0].associations).toEqual({
      companies: {
        results: [
          { id: company.id, type: 'contact_to_company_unlabeled' },
          { id: company.id, type: 'contact_to_company' },
        ],
      },
    })
    expect(json.results[1]).not.toHaveProperty('associations')
  })

  test('rejects a property that does not exist, or ignores it as the vendor does', async () => {
    for (const [undefinedProperties, status] of [
      ['refused', 400],
      ['ignored', 200],
    ] as const) {
      const { send, portal } = openPortal({ undefinedProperties })
      portal.create('contacts', { lastname: 'A' })
      const reply = await send('GET', '/objects/V/contacts?properties=nickname')
      expect(reply.status).toBe(status)
    }
  })
})

describe('a batch', () => {
  test('creates all records or none', async () => {
    const { post, portal, simulator } = openPortal()
    portal.create('contacts', { email: 'a@example.com' })
    const inputs = ['b', 'a'].map((name) => ({ properties: { email: `${name}@example.com` } }))
    const refused = await post('/objects/V/contacts/batch/create', { inputs })
    expect(errorOf(refused)).toEqual([409, 'CONFLICT'])
    const store = simulator.accounts.find(portal.id)?.store
    expect(store?.list('contacts')).toHaveLength(1)
    const created = await post('/objects/V/contacts/batch/create', { inputs: inputs.slice(0, 1) })
    expect([created.status, created.json.status]).toEqual([201, 'COMPLETE'])
    const many = Array.from({ length: 101 }, (_, index) => ({
      properties: { lastname: `${index}` },
    }))
    expect((await post('/objects/V/contacts/batch/create', { inputs: many })).status).toBe(400)
  })

  test('reads and updates what exists, and reports the rest with status 207', async () => {
    const { post, portal } = openPortal()
    const { id } = portal.create('contacts', { email: 'a@example.com' })
    const read = await post('/objects/V/contacts/batch/read', {
      inputs: [{ id }, { id: '999' }],
      properties: ['email'],
    })
    expect(read.status).toBe(207)
    expect(read.json).toMatchObject({
      results: [{ id, properties: { email: 'a@example.com' } }],
      numErrors: 1,
      errors: [{ category: 'OBJECT_NOT_FOUND', context: { ids: ['999'] } }],
    })
    const updated = await post('/objects/V/contacts/batch/update', {
      inputs: [
        { id: 'a@example.com', idProperty: 'email', properties: { firstname: 'Amy' } },
        { id: '999', properties: { firstname: 'Bob' } },
      ],
    })
    expect(updated.json).toMatchObject({
      results: [{ id, properties: { firstname: 'Amy' } }],
      errors: [{ context: { ids: ['999'] } }],
    })
    const repeated = { inputs: [{ id }, { id }], properties: [] }
    expect((await post('/objects/V/contacts/batch/read', repeated)).json.message).toContain(
      'Duplicate',
    )
  })

  test('updates or creates by a unique property', async () => {
    const { post, portal } = openPortal()
    const { id } = portal.create('contacts', { email: 'a@example.com' })
    const upsert = (idProperty: string) =>
      post('/objects/V/contacts/batch/upsert', {
        inputs: ['a', 'b'].map((name) => ({
          id: `${name}@example.com`,
          idProperty,
          properties: { firstname: name },
        })),
      })
    const { json } = await upsert('email')
    expect(json.results).toMatchObject([
      { id, new: false, properties: { firstname: 'a' } },
      { new: true, properties: { email: 'b@example.com', firstname: 'b' } },
    ])
    expect((await upsert('firstname')).status).toBe(400)
  })

  test('archives the known ids and ignores unknown ones', async () => {
    const { post, send, portal } = openPortal()
    const { id } = portal.create('notes', { hs_timestamp: '2026-11-23T10:00:00Z' })
    const inputs = [{ id }, { id: '999' }]
    expect((await post('/objects/V/notes/batch/archive', { inputs })).status).toBe(204)
    expect(idsOf(await send('GET', '/objects/V/notes?archived=true'))).toEqual([id])
  })
})

describe('associations', () => {
  const openPair = () => {
    const opened = openPortal()
    const contact = String(opened.portal.create('contacts', { lastname: 'A' }).id)
    const companies = ['X', 'Y'].map((name) =>
      String(opened.portal.create('companies', { name }).id),
    )
    return { ...opened, contact, companies: companies as [string, string] }
  }

  test('have types in both directions, one primary company, and no effect on times', async () => {
    const { send, simulator, contact, companies } = openPair()
    simulator.clock.advance(1000)
    for (const company of companies) {
      const path = `/objects/V/contacts/${contact}/associations/companies/${company}`
      const body = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }]
      expect((await send('PUT', path, { body })).json.labels).toEqual(['Primary'])
    }
    const { json } = await send('GET', `/objects/V/contacts/${contact}/associations/companies`)
    const category = 'HUBSPOT_DEFINED'
    expect(json.results).toEqual([
      { toObjectId: companies[0], associationTypes: [{ category, typeId: 279 }] },
      {
        toObjectId: companies[1],
        associationTypes: [
          { category, typeId: 279 },
          { category, typeId: 1, label: 'Primary' },
        ],
      },
    ])
    const back = await send('GET', `/objects/V/companies/${companies[1]}/associations/contacts`)
    expect(back.json.results[0].associationTypes.at(-1)).toMatchObject({ typeId: 2 })
    const read = await send('GET', `/objects/V/contacts/${contact}`)
    expect(read.json.updatedAt).toBe(new Date(NOON).toISOString())
  })

  test('are written and read in batches', async () => {
    const { post, send, contact, companies } = openPair()
    const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }]
    const inputs = companies.map((id) => ({ from: { id: contact }, to: { id }, types }))
    const created = await post('/associations/V/contacts/companies/batch/create', { inputs })
    expect(created.status).toBe(201)
    const read = await post('/associations/V/contacts/companies/batch/read', {
      inputs: [{ id: contact }, { id: '999' }],
    })
    expect(read.status).toBe(207)
    expect(read.json.results[0].to).toHaveLength(2)
    const removal = { inputs: [{ from: { id: contact }, to: [{ id: companies[0] }] }] }
    await post('/associations/V/contacts/companies/batch/archive', removal)
    const path = `/objects/V/contacts/${contact}/associations`
    expect((await send('GET', `${path}/companies`)).json.results).toHaveLength(1)
    expect((await send('DELETE', `${path}/companies/${companies[1]}`)).status).toBe(204)
    expect((await send('GET', `${path}/companies`)).json.results).toEqual([])
    const byDefault = await send('PUT', `${path}/default/companies/${companies[0]}`)
    expect(byDefault.json.results[1].associationSpec.associationTypeId).toBe(280)
  })

  test('of a new record must be of its type, with records that exist', async () => {
    const { post, contact, companies } = openPair()
    const create = (id: unknown, typeId: number) =>
      post('/objects/V/leads', {
        properties: { hs_lead_name: 'Lead' },
        associations: [linkTo(id, typeId)],
      })
    expect((await create(Number(contact), 578)).status).toBe(201)
    expect((await create(contact, 1)).status).toBe(400)
    expect((await create('999', 578)).status).toBe(400)
    const withoutContact = await create(companies[0], 610)
    expect(withoutContact.json.context).toEqual({ associations: ['contacts'] })
  })

  test('with archived records are hidden until these are restored', async () => {
    const { send, portal, contact, companies } = openPair()
    portal.associate('contacts', contact, { type: 'companies', id: companies[0], typeId: 279 })
    const count = async () => {
      const { json } = await send('GET', `/objects/V/contacts/${contact}/associations/companies`)
      return json.results.length
    }
    portal.archive('companies', companies[0])
    expect(await count()).toBe(0)
    portal.restore('companies', companies[0])
    expect(await count()).toBe(1)
  })
})

describe('definitions', () => {
  test('of properties have their types, options and what may be written', async () => {
    const { send, portal } = openPortal()
    const options = ['Red', 'Blue'].map((value) => ({ value, label: value }))
    portal.addProperty('deals', { ...defineProperty('colour', 'enumeration'), options })
    const { json } = await send('GET', '/properties/V/deals')
    const findProperty = (name: string) =>
      json.results.find((property: { readonly name: string }) => property.name === name)
    expect(findProperty('colour')).toMatchObject({
      type: 'enumeration',
      fieldType: 'select',
      hubspotDefined: false,
      options: [{ value: 'Red' }, { value: 'Blue' }],
    })
    expect(findProperty('dealstage')).toMatchObject({ externalOptions: true, options: [] })
    expect(findProperty('hs_is_closed')).toMatchObject({
      calculated: true,
      modificationMetadata: { readOnlyValue: true },
    })
    expect((await send('GET', '/properties/V/deals/colour')).json.name).toBe('colour')
    portal.removeProperty('deals', 'colour')
    expect((await send('GET', '/properties/V/deals/colour')).status).toBe(404)
  })

  test('of pipelines have stages that are open, won or lost', async () => {
    const { send, portal } = openPortal()
    const stages = [{ id: 's1', label: 'One', metadata: { probability: '0.5', isClosed: 'false' } }]
    portal.addPipeline({ id: 'p2', objectType: 'deals', label: 'Second', stages })
    const { json } = await send('GET', '/pipelines/V/deals')
    expect(json.results.map(({ id }: { readonly id: string }) => id)).toEqual(['default', 'p2'])
    const won = await send('GET', '/pipelines/V/deals/default/stages/closedwon')
    expect(won.json.metadata).toEqual({ probability: '1.0', isClosed: 'true' })
    const create = (dealstage: string, pipeline?: string) =>
      portal.create('deals', { dealname: 'A', dealstage, ...(pipeline && { pipeline }) })
    expect(create('s1', 'p2').properties).toMatchObject({ pipeline: 'p2' })
    expect(() => create('s1')).toThrow('not valid')
    expect((await send('GET', '/pipelines/V/leads')).json.results[0].stages).toHaveLength(5)
  })

  test('of owners name their users, also after they were removed', async () => {
    const { send, portal, owner, client } = openPortal()
    const second = portal.addOwner('bob@example.com', 'Bob', 'Builder')
    const page = await send('GET', '/owners/V?limit=1')
    expect(idsOf(page)).toEqual([owner])
    const { after } = page.json.paging.next
    expect(idsOf(await send('GET', `/owners/V?limit=1&after=${after}`))).toEqual([second])
    const { userId } = page.json.results[0]
    expect((await send('GET', `/owners/V/${userId}?idProperty=userId`)).json.id).toBe(owner)
    expect(idsOf(await send('GET', '/owners/V?email=bob@example.com'))).toEqual([second])
    portal.archiveOwner(second)
    const archived = await send('GET', `/owners/V/${second}?archived=true`)
    expect(archived.json).toMatchObject({ archived: true, userIdIncludingInactive: 1002 })
    const users = await send('GET', '/objects/V/users?properties=hs_internal_user_id')
    expect(users.json.results[0].properties.hs_internal_user_id).toBe(String(userId))
    expect((await send('POST', '/objects/V/users', { body: { properties: {} } })).status).toBe(405)
    const details = await client('GET', '/account-info/2026-03/details')
    expect(details.json).toMatchObject({ portalId: 62515, utcOffset: '-05:00' })
  })
})
