/** References in filters and paths: by Trunkline's id or by the app's id. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { A, B, openReadHarness, sortedRemoteIds } from './read-harness.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
})
afterAll(() => service.stop())

describe('a reference', () => {
  const notes = catalogue.get('crm/notes')
  const contacts = catalogue.get('crm/contacts')

  beforeAll(async () => {
    for (const credentialId of [A, B])
      for (const resource of [notes, contacts]) {
        await service.database.prisma.$executeRawUnsafe(
          `DELETE FROM ${resource.table} WHERE credential_id = '${credentialId}'`,
        )
        await service.save(
          tenant,
          credentialId,
          resource,
          [1, 2, 3, 4].map((n) => sampleRecord(credentialId, resource, n)),
        )
      }
  })

  test('is Trunkline’s id or the app’s, in upper or lower case', async () => {
    const id = recordId(A, 'crm/accounts', '2')
    for (const value of ['2', id, id.toUpperCase()]) {
      for (const [path, plural, name] of [
        ['/crm/notes', 'notes', 'noteAccount'],
        ['/crm/contacts', 'contacts', 'account'],
      ] as const) {
        const query = `credentialId=${A}&${name}`
        const same = await service.rest(tenant.key, `${path}?${query}=${value}`)
        expect(sortedRemoteIds(same.json()[plural])).toEqual(['2'])
        const others = await service.rest(tenant.key, `${path}?${query}NotEquals=${value}`)
        expect(sortedRemoteIds(others.json()[plural])).toEqual(['1', '3', '4'])
      }
    }
  })

  test('by the app’s id selects each credential’s own record; by Trunkline’s id, only one', async () => {
    const findNotes = async (noteAccount: string) => {
      const { data } = await service.graphql(
        tenant.key,
        `query ($filter: CrmNoteFilter) { crmNotes(credentialIds: ["${A}", "${B}"], filter: $filter) { totalCount nodes { credentialId remoteId } } }`,
        { filter: { noteAccount } },
      )
      expect(data.crmNotes.totalCount).toBe(data.crmNotes.nodes.length)
      return data.crmNotes.nodes.map((node: { credentialId: string }) => node.credentialId).sort()
    }
    expect(await findNotes('2')).toEqual([A, B])
    expect(await findNotes(recordId(A, 'crm/accounts', '2'))).toEqual([A])
    expect(await findNotes(recordId(B, 'crm/accounts', '2'))).toEqual([B])
  })

  test('to a record of another credential or resource selects nothing', async () => {
    for (const id of [recordId(B, 'crm/accounts', '2'), recordId(A, 'crm/contacts', '2')]) {
      const response = await service.rest(
        tenant.key,
        `/crm/notes?credentialId=${A}&noteAccount=${id}`,
      )
      expect(response.json()).toEqual({ notes: [] })
    }
  })

  test('in a path limits the list to records of the parent', async () => {
    const fulfillments = catalogue.get('commerce/fulfillments')
    await service.save(
      tenant,
      B,
      fulfillments,
      [1, 2, 4].map((n) => sampleRecord(B, fulfillments, n)),
    )
    for (const orderId of ['2', recordId(B, 'commerce/orders', '2')]) {
      const base = `/commerce/orders/${orderId}/fulfillments`
      const list = await service.rest(tenant.key, `${base}?credentialId=${B}`)
      expect(sortedRemoteIds(list.json().fulfillments)).toEqual(['2'])
      const count = await service.rest(tenant.key, `${base}/count?credentialId=${B}`)
      expect(count.json()).toEqual({ count: 1 })
      const own = await service.rest(tenant.key, `${base}/2?credentialId=${B}`)
      expect(own.json().fulfillment.remoteId).toBe('2')
      const other = await service.rest(tenant.key, `${base}/1?credentialId=${B}`)
      expect(other.statusCode).toBe(404)
    }
  })

  test('in a path must not be repeated in the query', async () => {
    for (const end of ['', '/count']) {
      const path = `/commerce/orders/2/fulfillments${end}?credentialId=${B}&orderId=1`
      const { error } = (await service.rest(tenant.key, path)).json()
      expect(error).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ field: 'orderId' }] })
    }
  })

  test('in a path to a missing record is a 404, and to a record without children an empty list', async () => {
    const orders = catalogue.get('commerce/orders')
    await service.save(tenant, B, orders, [sampleRecord(B, orders, 7)])
    for (const [end, none] of [
      ['', { fulfillments: [] }],
      ['/count', { count: 0 }],
    ] as const) {
      const send = (orderId: string) =>
        service.rest(tenant.key, `/commerce/orders/${orderId}/fulfillments${end}?credentialId=${B}`)
      expect((await send('7')).json()).toEqual(none)
      const absent = await send('nope')
      expect([absent.statusCode, absent.json().error?.code]).toEqual([404, 'NOT_FOUND'])
    }
  })
})
