/** What happens in the books. */
import { cents } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import { inventAddresses, inventCity, slug } from '../invent/contacts.ts'
import {
  inventBill,
  inventInvoice,
  inventPayment,
  inventPurchaseOrder,
  type Stock,
} from '../invent/documents.ts'
import type { Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import { type Card, liveWhere, todayOf, withOne } from './card.ts'

const stockOf = async (workspace: Workspace): Promise<Stock> => ({
  items: await liveWhere(workspace, 'catalog_items', ({ state }) => state === 'active'),
  costCenters: await liveWhere(workspace, 'cost_centers', ({ state }) => state === 'active'),
})

const activeVendors = (workspace: Workspace) =>
  liveWhere(workspace, 'vendors', ({ state }) => state === 'active')

const sendInvoice: Card = async (workspace, dice) => {
  const clients = await liveWhere(workspace, 'clients', ({ state }) => state === 'active')
  return withOne(dice, clients, async (client) => {
    const stock = await stockOf(workspace)
    await workspace.create('invoices', inventInvoice(dice, stock, client, todayOf(workspace)))
  })
}

const receiveBill: Card = async (workspace, dice) =>
  withOne(dice, await activeVendors(workspace), async (vendor) => {
    const stock = await stockOf(workspace)
    await workspace.create('bills', inventBill(dice, stock, vendor, todayOf(workspace)))
  })

/** Pays all that is open, or half of a demand that nothing was paid of. */
const pay = async (
  workspace: Workspace,
  dice: Dice,
  demands: readonly (Stored<'invoices'> | Stored<'bills'>)[],
): Promise<boolean> =>
  // Who has waited longest is paid first.
  withOne(dice, demands.slice(0, 5), async (demand) => {
    const open = cents(demand.fields.open_amount)
    const value = demand.fields.state === 'open' && dice.chance(25) ? Math.ceil(open / 2) : open
    await workspace.create('payments', inventPayment(dice, demand, value, todayOf(workspace)))
  })

const isOpen = ({ state, open_amount }: { state: string; open_amount: string }): boolean =>
  (state === 'open' || state === 'part_paid') && cents(open_amount) > 0

const payInvoice: Card = async (workspace, dice) =>
  pay(workspace, dice, await liveWhere(workspace, 'invoices', isOpen))

const payBill: Card = async (workspace, dice) =>
  pay(workspace, dice, await liveWhere(workspace, 'bills', isOpen))

const orderFromVendor: Card = async (workspace, dice) =>
  withOne(dice, await activeVendors(workspace), async (vendor) => {
    const stock = await stockOf(workspace)
    const [company] = await workspace.live('companies')
    const address = company?.fields.addresses[0]
    const deliverTo = address ? { ...address, kind: 'delivery' as const } : null
    const today = todayOf(workspace)
    await workspace.create(
      'purchase_orders',
      inventPurchaseOrder(dice, stock, vendor, deliverTo, today),
    )
  })

const advanceOrder: Card = async (workspace, dice) => {
  const orders = await liveWhere(
    workspace,
    'purchase_orders',
    ({ state }) => state === 'draft' || state === 'sent',
  )
  return withOne(dice, orders.slice(0, 5), (order) =>
    workspace.update(order, { state: order.fields.state === 'draft' ? 'sent' : 'received' }),
  )
}

const changeVendorMail: Card = async (workspace, dice) =>
  withOne(dice, await workspace.live('vendors'), (vendor) => {
    const box = dice.pick(['billing', 'office', 'accounts', 'hello'])
    const name = slug(vendor.fields.display_name) || 'vendor'
    return workspace.update(vendor, {
      contact_email: `${box}${dice.integer(2, 99)}@${name}.example`,
    })
  })

const moveClient: Card = async (workspace, dice) =>
  withOne(dice, await workspace.live('clients'), (client) =>
    workspace.update(client, { addresses: inventAddresses(dice, inventCity(dice)) }),
  )

const countStock: Card = async (workspace, dice) => {
  const items = await liveWhere(workspace, 'catalog_items', ({ stock }) => stock !== null)
  return withOne(dice, items, (item) =>
    workspace.update(item, { stock: (item.fields.stock ?? 0) + dice.integer(1, 40) }),
  )
}

/** The cards of the books. */
export const bookCards = {
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
