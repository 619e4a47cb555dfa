/** Section 4.3 of the contract: the list of CRM leads, and the records that each parameter selects. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lead } from '../../src/resources/crm/lead.ts'
import { commonNames, type List, type ListCase, openList, timeCases, timesOf } from './list.ts'

let list: List
beforeAll(async () => {
  const emmy = {
    leadOwner: 'Ada Byron',
    leadSource: 'Fair',
    leadTitle: 'Founder',
    company: 'Quay',
    firstName: 'Emmy',
    lastName: 'Noether',
    ...timesOf(1),
  }
  const sofja = {
    leadOwner: 'Grace Hopper',
    leadSource: 'Web',
    leadTitle: 'Head',
    company: 'Harbour',
    firstName: 'Sofja',
    lastName: 'Kowalewskaja',
    ...timesOf(2),
  }
  const emmeline = {
    leadOwner: 'Ada Lovelace',
    leadSource: 'A fair',
    leadTitle: 'co-founder',
    company: 'Quayside',
    firstName: 'Emmeline',
    lastName: 'noether-Gordan',
    ...timesOf(3),
  }
  const deleted = { ...emmy, ...timesOf(5), remoteDeleted: true }
  list = await openList(lead, [emmy, sofja, emmeline, timesOf(4), deleted], {
    remoteFields: { touched: true },
  })
})
afterAll(() => list.stop())

const cases: readonly ListCase[] = [
  ['leadOwner', 'Ada Byron', [1]],
  ['leadOwnerContains', 'ada', [1, 3]],
  ['leadOwnerNotEquals', 'Ada Byron', [2, 3, 4]],
  ['leadSource', 'Fair', [1]],
  ['leadSourceContains', 'fair', [1, 3]],
  ['leadSourceNotEquals', 'Fair', [2, 3, 4]],
  ['leadTitle', 'Founder', [1]],
  ['leadTitleContains', 'founder', [1, 3]],
  ['leadTitleNotEquals', 'Founder', [2, 3, 4]],
  ['company', 'Quay', [1]],
  ['companyContains', 'QUAY', [1, 3]],
  ['companyNotEquals', 'Quay', [2, 3, 4]],
  ['firstName', 'Emmy', [1]],
  ['firstNameContains', 'Emm', [1, 3]],
  ['firstNameNotEquals', 'Emmy', [2, 3, 4]],
  ['lastName', 'Noether', [1]],
  ['lastNameContains', 'noether', [1, 3]],
  ['lastNameNotEquals', 'Noether', [2, 3, 4]],
  ...timeCases,
]

test.each(cases)('4.3 %s', async (parameter, value, selects) => {
  expect(await list.select(parameter, value)).toEqual(selects)
})

test('4.3.2 the leads are under one key, with the fields of 2.6 and 2.1', async () => {
  const { leads, ...others } = (await list.sendRest('')).json()
  expect(others).toEqual({})
  expect(leads).toHaveLength(4)
  const names = [
    'leadOwner',
    'leadSource',
    'leadTitle',
    'company',
    'firstName',
    'lastName',
    'addresses',
    'emailAddresses',
    'phoneNumbers',
    'remoteFields',
    ...commonNames,
  ]
  for (const record of leads) expect(Object.keys(record).sort()).toEqual(names.toSorted())
})

test('4.3 credentialId is required', async () => {
  const without = await list.service.rest(list.tenant.key, '/crm/leads')
  expect([without.statusCode, without.json().error.details[0].field]).toEqual([400, 'credentialId'])
})

test('4.3 pageNumber and pageSize select the page', async () => {
  const second = await list.sendRest('pageNumber=2&pageSize=2')
  expect(second.json().leads).toMatchObject([{ remoteId: '3' }, { remoteId: '4' }])
})
