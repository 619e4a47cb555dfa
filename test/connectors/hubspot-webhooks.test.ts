/** The HubSpot connector without a HubSpot: events and their signature. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import { isSigned } from '../../src/inbound/verify-signature.ts'

describe('webhooks', () => {
  const facts = { portalId: 5, eventId: 1, subscriptionId: 2, occurredAt: 3 }
  const namesOf = (event: object): readonly string[] => {
    const events = connector.webhooks?.events({ headers: {}, body: [{ ...facts, ...event }] }) ?? []
    return events.map(({ topic, remoteId, kind, company }) => {
      expect(company).toBe('5')
      return `${topic} ${remoteId} ${kind}`
    })
  }

  test.each([
    [{ subscriptionType: 'contact.creation', objectId: 51 }, ['crm/contacts 51 changed']],
    [{ subscriptionType: 'company.propertyChange', objectId: 9 }, ['crm/accounts 9 changed']],
    [{ subscriptionType: 'deal.deletion', objectId: 4 }, ['crm/opportunities 4 deleted']],
    [{ subscriptionType: 'contact.privacyDeletion', objectId: 51 }, ['crm/contacts 51 deleted']],
    [
      { subscriptionType: 'object.restore', objectTypeId: '0-136', objectId: 6 },
      ['crm/leads 6 changed'],
    ],
    [
      {
        subscriptionType: 'object.associationChange',
        fromObjectTypeId: '0-46',
        fromObjectId: 1,
        toObjectTypeId: '0-1',
        toObjectId: 51,
      },
      ['crm/notes 1 changed', 'crm/contacts 51 changed'],
    ],
    [
      {
        subscriptionType: 'contact.merge',
        primaryObjectId: 51,
        mergedObjectIds: [52],
        newObjectId: 60,
      },
      ['crm/contacts 60 changed', 'crm/contacts 51 deleted', 'crm/contacts 52 deleted'],
    ],
    [
      { subscriptionType: 'deal.merge', primaryObjectId: 4, mergedObjectIds: [5] },
      ['crm/opportunities 4 changed', 'crm/opportunities 5 deleted'],
    ],
    [{ subscriptionType: 'ticket.creation', objectId: 1 }, []],
    [{ subscriptionType: 'object.creation', objectTypeId: '2-77', objectId: 1 }, []],
  ])('the event %j names the affected records', (event, expected) => {
    expect(namesOf(event)).toEqual(expected)
  })

  test('a body that is not a list of events is rejected', () => {
    expect(() => connector.webhooks?.events({ headers: {}, body: {} })).toThrow('not a list')
  })

  test('the signature covers method, address, body and time, and is valid for five minutes', () => {
    const url = 'https://api.example.com/inbound/hubspot/1'
    const body = Buffer.from('[]')
    const time = '1782878400000'
    const signature = createHmac('sha256', 'secret').update(`POST${url}[]${time}`).digest('base64')
    const headers = {
      'x-hubspot-signature-v3': signature,
      'x-hubspot-request-timestamp': time,
    }
    const scheme = connector.webhooks?.signature
    if (!scheme) throw new Error('no signature')
    const isAccepted = (delayMs: number, method = 'POST'): boolean =>
      isSigned(scheme, { method, url, headers, body }, [], {
        secrets: ['secret'],
        nowMs: Number(time) + delayMs,
      })
    expect([isAccepted(299_000), isAccepted(301_000), isAccepted(0, 'PUT')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
