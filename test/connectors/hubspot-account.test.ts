/** The HubSpot connector without a HubSpot: the settings, fields and identity of an account. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import type { AppRequest, AppResponse } from '../../src/definition/connector.ts'
import { runSteps } from '../support/steps.ts'
import { context, findResource, okResponse } from './hubspot/fixtures.ts'

describe('the account', () => {
  const responses: Readonly<Record<string, object>> = {
    '/account-info/2026-03/details': {
      portalId: 5,
      companyCurrency: 'EUR',
      timeZone: 'US/Eastern',
    },
    '/crm/owners/2026-03?limit=500&archived=false': {
      results: [{ id: '8', firstName: 'Ada', lastName: 'Byron' }],
    },
    '/crm/owners/2026-03?limit=500&archived=true': {
      results: [{ id: '7', email: 'e@example.org' }],
    },
    '/crm/pipelines/2026-03/deals': {
      results: [
        {
          id: 'default',
          stages: [
            { id: 'b', metadata: { probability: '1.0', isClosed: 'true' } },
            { id: 'c', metadata: { probability: '0.0' } },
            { id: 'a', metadata: { probability: '0.2' } },
          ],
        },
      ],
    },
    '/crm/properties/2026-03/contacts': {
      results: [
        { name: 'tier', label: 'Tier', type: 'enumeration', hubspotDefined: false },
        { name: 'budget', label: '', type: 'number', hubspotDefined: false },
        { name: 'gone', type: 'string', hubspotDefined: false, archived: true },
        { name: 'hs_x', label: 'X', type: 'string', hubspotDefined: true },
        { name: 'jobtitle', label: 'Job', type: 'string', hubspotDefined: true },
        { name: 'notes_last_updated', label: 'Last', type: 'datetime', calculated: true },
      ],
    },
  }
  const send = async ({ path }: AppRequest): Promise<AppResponse> => {
    if (path.endsWith('/leads')) return { status: 403, headers: {}, body: {} }
    return okResponse(responses[path] ?? { results: [] })
  }

  test('has the settings that mappings need in a fixed order, also if the portal has no leads', async () => {
    const steps = connector.context?.read()
    if (!steps) throw new Error('no context')
    const read = await runSteps(connector, steps, send)
    expect(JSON.stringify(read)).toBe(
      JSON.stringify({
        currency: 'EUR',
        timeZone: 'US/Eastern',
        owners: { '7': 'e@example.org', '8': 'Ada Byron' },
        stages: {
          a: { pipeline: 'default', status: 'open' },
          b: { pipeline: 'default', status: 'won' },
          c: { pipeline: 'default', status: 'lost' },
        },
        properties: {
          companies: [],
          contacts: ['budget', 'tier'],
          leads: [],
          deals: [],
          notes: [],
          tasks: [],
        },
      }),
    )
  })

  test('describes the properties that records contain', async () => {
    const steps = findResource('contacts').describeFields?.(context)
    if (!steps) throw new Error('no description')
    expect(await runSteps(connector, steps, send)).toEqual([
      { remoteField: 'properties.tier', label: 'Tier', type: 'text', writable: true },
      { remoteField: 'properties.jobtitle', label: 'Job', type: 'text', writable: true },
      {
        remoteField: 'properties.notes_last_updated',
        label: 'Last',
        type: 'timestamp',
        writable: false,
      },
    ])
  })

  test('is identified by the id of the portal', async () => {
    const { oauth } = connector.auth
    if (oauth?.type !== 'oauth2' || !oauth.accounts) throw new Error('no accounts')
    const response = await send(oauth.accounts.request)
    expect(oauth.accounts.read(response)).toEqual([
      { id: '5', label: 'HubSpot 5', values: { portalId: '5' } },
    ])
  })
})
