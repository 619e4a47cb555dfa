/** The real GnuCash: an app without update times, pages and authentication. Each run compares all records. */
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/gnucash/manifest.ts'
import { recordId } from '../../src/definition/identity.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { type GnuCash, gnucashMissing, startGnuCash } from '../apps/gnucash/start.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

const missing = gnucashMissing()

describe.skipIf(missing)(`the real GnuCash${missing ? `: ${missing}` : ''}`, () => {
  let gnucash: GnuCash
  let service: TestService
  let tenant: Tenant
  let credentialId: string
  let sync: Sync

  beforeAll(async () => {
    gnucash = await startGnuCash()
    service = await startService({ allowPrivateAddresses: true })
    tenant = await service.createTenant('development', [])
    credentialId = await createCredential(service.database, testVault, {
      environmentId: tenant.environmentId,
      userId: tenant.userId,
      connector,
      values: { url: gnucash.url },
    })
    sync = createSync({
      database: service.database,
      vault: testVault,
      connectors,
      appClient: createAppClient({ allowPrivateAddresses: true }),
      log: pino({ level: 'silent' }),
    })
    await sync.syncNow(credentialId)
  })
  afterAll(async () => {
    await service?.stop()
    await gnucash?.stop()
  })

  const list = async (path: string): Promise<Loose[]> => {
    const response = await service.rest(tenant.key, `/${path}?credentialId=${credentialId}`)
    expect(response.statusCode).toBe(200)
    return Object.values<Loose[]>(response.json())[0] ?? []
  }
  const idOf = (topic: string, remoteId: string): string => recordId(credentialId, topic, remoteId)

  /** The accounts of the server's tree, with their parents. */
  const listAccounts = async (): Promise<{ account: Loose; parent: Loose }[]> => {
    const listSubaccounts = (parent: Loose): { account: Loose; parent: Loose }[] =>
      parent.subaccounts.flatMap((account: Loose) => [
        { account, parent },
        ...listSubaccounts(account),
      ])
    return listSubaccounts((await gnucash.send('GET', '/accounts')).body)
  }

  const expectAllSame = async (): Promise<void> => {
    const accounts = await listAccounts()
    const stored = await list('accounting/accounts')
    expect(stored).toHaveLength(accounts.length)
    for (const { account, parent } of accounts)
      expect(stored.find(({ remoteId }) => remoteId === account.guid)).toMatchObject({
        accountName: account.name,
        currency: account.currency,
        currentBalance: account.balance,
        parentAccountId:
          parent.name === 'Root Account' ? null : idOf('accounting/accounts', parent.guid),
        remoteDeleted: false,
      })
    for (const [path, name] of [
      ['customers', 'customerName'],
      ['vendors', 'vendorName'],
    ] as const) {
      const { body } = await gnucash.send('GET', `/${path}`)
      const shown = await list(`accounting/${path}`)
      expect(shown).toHaveLength(body.length)
      for (const { id, name: own, currency, address, guid } of body)
        expect(shown.find(({ remoteId }) => remoteId === guid)).toMatchObject({
          [name]: own,
          currency,
          email: address.email || null,
          addresses: address.line_1
            ? [
                expect.objectContaining({
                  street1: address.line_1,
                  street2: address.line_2 || null,
                }),
              ]
            : [],
          phoneNumbers: [
            ...(address.phone ? [{ phoneNumberType: 'PRIMARY', phoneNumber: address.phone }] : []),
            ...(address.fax ? [{ phoneNumberType: 'FAX', phoneNumber: address.fax }] : []),
          ],
          remoteFields: expect.objectContaining({ id }),
        })
    }
    for (const [path, number, referenceField, price] of [
      ['invoices', 'invoiceNumber', 'customerId', 'inv_price'],
      ['bills', 'billNumber', 'vendorId', 'bill_price'],
    ] as const) {
      const { body } = await gnucash.send('GET', `/${path}`)
      const shown = await list(`accounting/${path}`)
      expect(shown).toHaveLength(body.length)
      for (const document of body) {
        const { id, owner, entries } = document
        const referenceTopic =
          referenceField === 'customerId' ? 'accounting/customers' : 'accounting/vendors'
        expect(shown.find(({ remoteId }) => remoteId === id)).toMatchObject({
          [number]: id,
          [referenceField]: idOf(referenceTopic, owner.guid),
          issueDate: `${document.date_posted}T00:00:00.000Z`,
          dueDate: `${document.date_due}T00:00:00.000Z`,
          currency: document.currency,
          totalAmount: document.total,
          lineItems: entries.map((entry: Loose) =>
            expect.objectContaining({
              description: entry.description,
              quantity: entry.quantity,
              unitPrice: entry[price],
            }),
          ),
        })
      }
    }
  }

  test('is listed completely', async () => {
    await expectAllSame()
    const [invoice] = await list('accounting/invoices')
    expect(invoice).toMatchObject({
      invoiceStatus: 'Posted',
      invoiceState: 'OPEN',
      totalAmount: 533,
      subTotal: 533,
    })
    const [bill] = await list('accounting/bills')
    expect(bill).toMatchObject({ billStatus: 'Posted', billState: 'OPEN', totalAmount: 159.8 })
    const types = (await list('accounting/accounts')).map(({ accountName, accountType }) => [
      accountName,
      accountType,
    ])
    expect(Object.fromEntries(types)).toEqual({
      Assets: 'OTHER_ASSET',
      Bank: 'BANK',
      Receivable: 'ACCOUNTS_RECEIVABLE',
      Payable: 'ACCOUNTS_PAYABLE',
      Sales: 'INCOME',
      Travel: 'EXPENSE',
    })
  })

  test('is read by id', async () => {
    for (const path of ['accounts', 'bills', 'customers', 'invoices', 'vendors']) {
      const [record] = await list(`accounting/${path}`)
      const url = `/accounting/${path}/${record.id}?credentialId=${credentialId}`
      const response = await service.rest(tenant.key, url)
      expect(Object.values(response.json())).toEqual([record])
    }
  })

  test('is not written again if nothing has changed', async () => {
    const countChanges = () =>
      service.database.prisma.$queryRaw<
        { count: bigint }[]
      >`SELECT count(*) FROM change_log.changes`
    const before = await countChanges()
    await sync.syncNow(credentialId)
    expect(await countChanges()).toEqual(before)
  })

  test('shows changes that the app made after the next listing', async () => {
    const guidOf = async (name: string): Promise<string> =>
      (await listAccounts()).find(({ account }) => account.name === name)?.account.guid
    const paid = await gnucash.send('PAY', '/invoices/000001', {
      posted_account_guid: await guidOf('Receivable'),
      transfer_account_guid: await guidOf('Bank'),
      payment_date: '2026-03-10',
      auto_pay: '1',
    })
    expect(paid.status).toBe(200)
    const created = await gnucash.send('POST', '/vendors', {
      id: '',
      currency: 'GBP',
      name: 'Thames Paper',
      address_line_1: '4 Wharf Road',
      email: 'post@thames.example',
    })
    expect(created.status).toBe(201)
    await sync.syncNow(credentialId)
    await expectAllSame()
    expect((await list('accounting/invoices'))[0]).toMatchObject({
      invoiceStatus: 'Paid',
      invoiceState: 'PAID',
    })
    expect(await list('accounting/vendors')).toHaveLength(2)
  })

  test('is written: a customer is created and updated, and a rejection names the field', async () => {
    const write = (method: 'POST' | 'PATCH', path: string, payload: object) =>
      service.send(tenant.key, method, `/2024-03/one/${path}?credentialId=${credentialId}`, payload)
    const created = await write('POST', 'accounting/customers', {
      customerName: 'Studio Lindqvist',
      currency: 'EUR',
      email: 'hello@lindqvist.example',
      addresses: [{ addressType: 'BILLING', street1: 'Storgatan 1', street2: 'Box 7' }],
      phoneNumbers: [{ phoneNumberType: 'PRIMARY', phoneNumber: '+46 8 123' }],
      remoteFields: { address: { line_3: '111 22 Stockholm' } },
    })
    expect(created.json()).toMatchObject({ customer: { customerName: 'Studio Lindqvist' } })
    const { remoteId, remoteFields } = created.json().customer
    const updated = await write('PATCH', `accounting/customers/${remoteId}`, {
      email: 'books@lindqvist.example',
      phoneNumbers: [],
    })
    expect(updated.json()).toMatchObject({
      customer: { email: 'books@lindqvist.example', phoneNumbers: [] },
    })
    const { body } = await gnucash.send('GET', `/customers/${remoteFields.id}`)
    expect(body).toMatchObject({
      name: 'Studio Lindqvist',
      currency: 'EUR',
      address: {
        line_1: 'Storgatan 1',
        line_2: 'Box 7',
        line_3: '111 22 Stockholm',
        phone: '',
        email: 'books@lindqvist.example',
      },
    })
    const refused = await write('POST', 'accounting/customers', {
      customerName: 'No Address',
      currency: 'EUR',
    })
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error.message).toContain('An address must be entered')
    const incomplete = await write('POST', 'accounting/customers', { customerName: 'No Currency' })
    expect(incomplete.statusCode).toBe(400)
    expect(incomplete.json().error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ field: 'currency', expected: 'GnuCash requires a value for every customer.' }],
    })
    const city = [{ addressType: 'BILLING', street1: 'Storgatan 1', city: 'Stockholm' }]
    const rejected = await write('PATCH', `accounting/customers/${remoteId}`, { addresses: city })
    expect(rejected.json().error.details[0].field).toBe('addresses[0].city')
    await sync.syncNow(credentialId)
    await expectAllSame()

    const { id } = remoteFields
    const duplicate = { id, currency: 'EUR', name: 'Twin', address_line_1: 'Elsewhere' }
    expect((await gnucash.send('POST', '/customers', duplicate)).status).toBe(201)
    const ambiguous = await write('PATCH', `accounting/customers/${remoteId}`, { email: 'a@b.se' })
    expect(ambiguous.json().error.message).toContain(`several records with the id ${id}`)
    await sync.syncNow(credentialId)
    await expectAllSame()
  })

  addFidelityTest('gnucash', 'live', () => service)
})
