/** Simulated events of the books. */
import { shareOf, units } from '../amounts.ts'
import { generateAddresses, generateCity, slug } from '../generators/contacts.ts'
import {
  generateBill,
  generateInvoice,
  generatePayment,
  generatePurchaseOrder,
  type Stock,
} from '../generators/documents.ts'
import type { Stored } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { liveWhere, type SimulatedEvent, todayOf, withOne } from './event.ts'

const stockOf = async (workspace: Workspace): Promise<Stock> => ({
  items: await liveWhere(workspace, 'catalog_items', ({ state }) => state === 'active'),
  costCenters: await liveWhere(workspace, 'cost_centers', ({ state }) => state === 'active'),
})

const activeVendors = (workspace: Workspace) =>
  liveWhere(workspace, 'vendors', ({ state }) => state === 'active')

const sendInvoice: SimulatedEvent = async (workspace, random) => {
  const clients = await liveWhere(workspace, 'clients', ({ state }) => state === 'active')
  return withOne(random, clients, async (client) => {
    const stock = await stockOf(workspace)
    await workspace.create('invoices', generateInvoice(random, stock, client, todayOf(workspace)))
  })
}

const receiveBill: SimulatedEvent = async (workspace, random) =>
  withOne(random, await activeVendors(workspace), async (vendor) => {
    const stock = await stockOf(workspace)
    await workspace.create('bills', generateBill(random, stock, vendor, todayOf(workspace)))
  })

/** Pays the open amount, or half of it if nothing has been paid yet. */
const pay = async (
  workspace: Workspace,
  random: Random,
  documents: readonly (Stored<'invoices'> | Stored<'bills'>)[],
): Promise<boolean> =>
  // Oldest first.
  withOne(random, documents.slice(0, 5), async (document) => {
    const { currency_code, open_amount, state } = document.fields
    const open = units(open_amount)
    const value = state === 'open' && random.chance(25) ? shareOf(open, '50', currency_code) : open
    await workspace.create('payments', generatePayment(random, document, value, todayOf(workspace)))
  })

const isOpen = ({ state, open_amount }: { state: string; open_amount: string }): boolean =>
  (state === 'open' || state === 'part_paid') && units(open_amount) > 0

const payInvoice: SimulatedEvent = async (workspace, random) =>
  pay(workspace, random, await liveWhere(workspace, 'invoices', isOpen))

const payBill: SimulatedEvent = async (workspace, random) =>
  pay(workspace, random, await liveWhere(workspace, 'bills', isOpen))

const orderFromVendor: SimulatedEvent = async (workspace, random) =>
  withOne(random, await activeVendors(workspace), async (vendor) => {
    const stock = await stockOf(workspace)
    const [company] = await workspace.live('companies')
    const address = company?.fields.addresses[0]
    const deliverTo = address ? { ...address, kind: 'delivery' as const } : null
    const today = todayOf(workspace)
    await workspace.create(
      'purchase_orders',
      generatePurchaseOrder(random, stock, vendor, deliverTo, today),
    )
  })

const advanceOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await liveWhere(
    workspace,
    'purchase_orders',
    ({ state }) => state === 'draft' || state === 'sent',
  )
  return withOne(random, orders.slice(0, 5), (order) =>
    workspace.update(order, { state: order.fields.state === 'draft' ? 'sent' : 'received' }),
  )
}

const changeVendorMail: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.live('vendors'), (vendor) => {
    const box = random.pick(['billing', 'office', 'accounts', 'hello'])
    const name = slug(vendor.fields.display_name) || 'vendor'
    return workspace.update(vendor, {
      contact_email: `${box}${random.integer(2, 99)}@${name}.example`,
    })
  })

const moveClient: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.live('clients'), (client) =>
    workspace.update(client, { addresses: generateAddresses(random, generateCity(random)) }),
  )

const countStock: SimulatedEvent = async (workspace, random) => {
  const items = await liveWhere(workspace, 'catalog_items', ({ stock }) => stock !== null)
  return withOne(random, items, (item) =>
    workspace.update(item, { stock: (item.fields.stock ?? 0) + random.integer(1, 40) }),
  )
}

/** Events of the books, by name. */
export const bookEvents = {
  sendInvoice,
  receiveBill,
  payInvoice,
  payBill,
  orderFromVendor,
  advanceOrder,
  changeVendorMail,
  moveClient,
  countStock,
}
