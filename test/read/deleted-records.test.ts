/** Records that are deleted in the app are kept, and shown on request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { B, openReadHarness, sortedRemoteIds } from './read-harness.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
})
afterAll(() => service.stop())

describe('records that are deleted in the app', () => {
  const C_RECORDS = { 1: false, 2: true, 3: false, 4: true } as const
  const vendors = catalogue.get('accounting/vendors')
  const bills = catalogue.get('accounting/bills')
  const vendorId = recordId(B, 'accounting/vendors', '2')

  beforeAll(async () => {
    for (const resource of [vendors, bills])
      await service.save(
        tenant,
        B,
        resource,
        Object.entries(C_RECORDS).map(([n, remoteDeleted]) => ({
          ...sampleRecord(B, resource, Number(n)),
          remoteDeleted,
          ...(resource === bills && { vendorId }),
        })),
      )
  })

  test.each([
    ['', ['1', '3']],
    ['includeDeleted=false', ['1', '3']],
    ['remoteDeleted=false', ['1', '3']],
    ['includeDeleted=true', ['1', '2', '3', '4']],
    ['remoteDeleted=true', ['2', '4']],
    ['remoteDeleted=true&includeDeleted=true', ['2', '4']],
    ['includeDeleted=true&remoteDeleted=true', ['2', '4']],
    ['includeDeleted=false&remoteDeleted=true', ['2', '4']],
    ['remoteDeleted=false&includeDeleted=true', ['1', '3']],
    ['includeDeleted=true&remoteDeleted=false', ['1', '3']],
  ])('are listed and counted as requested: %s', async (query, expected) => {
    const input = Object.fromEntries(new URLSearchParams(query))
    const path = `/accounting/vendors?credentialId=${B}&${query}`
    const list = await service.rest(tenant.key, path)
    expect(sortedRemoteIds(list.json().vendors)).toEqual(expected)
    const count = await service.rest(tenant.key, path.replace('vendors?', 'vendors/count?'))
    expect(count.json()).toEqual({ count: expected.length })
    const filter = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, value === 'true']),
    )
    const graph = await service.graphql(
      tenant.key,
      `query ($vendors: AccountingVendorFilter, $bills: AccountingBillFilter) {
        accountingVendors(credentialId: "${B}", filter: $vendors) { totalCount nodes { remoteId } }
        accountingVendor(credentialId: "${B}", id: "2") { bills(filter: $bills) { totalCount nodes { remoteId } } }
      }`,
      { vendors: filter, bills: filter },
    )
    for (const page of [graph.data.accountingVendors, graph.data.accountingVendor.bills]) {
      expect(sortedRemoteIds(page.nodes)).toEqual(expected)
      expect(page.totalCount).toBe(expected.length)
    }
  })

  test('are shown by id and through references', async () => {
    for (const id of ['2', vendorId]) {
      const rest = await service.rest(tenant.key, `/accounting/vendors/${id}?credentialId=${B}`)
      expect(rest.json().vendor).toMatchObject({ remoteId: '2', remoteDeleted: true })
    }
    const { data } = await service.graphql(
      tenant.key,
      `{
        node(id: "${vendorId}") { id ... on AccountingVendor { remoteDeleted } }
        accountingBill(credentialId: "${B}", id: "1") { vendor { id remoteDeleted } }
      }`,
    )
    const expectedVendor = { id: vendorId, remoteDeleted: true }
    expect(data).toEqual({ node: expectedVendor, accountingBill: { vendor: expectedVendor } })
  })
})
