import { test } from 'vitest'
import { startService } from '../support/service.ts'
const A = 'aaaaaaaa-0000-4000-8000-000000000001'
test('x', async () => {
  const service = await startService()
  const t = await service.createTenant('development', [A])
  for (const f of [{ remoteCreatedAtMin: '2024-02-30' }, { totalAmount: 'x' }, { totalAmount: 1 }, { totalAmount: 1e21 }, {currency: 'xx'}, {currency: {}}, { remoteId: '\ud800' }]) 
    for (const n of [1, 2, 3]) {
      const a = await service.graphql(t.key, `query ($f: AccountingPaymentFilter) { accountingPayments(credentialId: "${A}", filter: $f) { nodes { id } } }`, { f })
      console.log(JSON.stringify(f), n, JSON.stringify(a))
    }
  for (const n of [1, 2, 3]) {
      const a = await service.graphql(t.key, `query ($n: Int!) { accountingPayments(credentialId: "${A}", first: $n) { nodes { id } } }`, { n: 0 })
      console.log(n, JSON.stringify(a))
      const b = await service.graphql(t.key, `query ($n: Int!) { accountingPayments(credentialId: "${A}", first: $n) { nodes { id } } }`, { n: 'x' })
      console.log(n, JSON.stringify(b))
      const c = await service.graphql(t.key, `query { accountingPayments(credentialId: "${A}x", first: 1) { nodes { id } } crmNotes(credentialId: "${A}") {nodes {id}} }`)
      console.log(n, JSON.stringify(c))
  }
  await service.stop()
})
