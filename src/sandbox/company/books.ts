/** Events in the books: new parties and items, orders, bills, invoices and payments. */
import { amount, ofCents, shareOf, times, units } from '../amounts.ts'
import type { FieldsOf, SandboxRecord } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import {
  generateAddresses,
  generateCity,
  generateCompanyName,
  generateName,
  generatePhones,
  mailOf,
  slug,
} from './contacts.ts'
import { dayOf, liveWhere, type SimulatedEvent, withOne } from './event.ts'
import { euroRates, goods, legalForms, remarks, services } from './words.ts'

type Currency = FieldsOf<'invoices'>['currency_code']

const isActive = ({ state }: { readonly state: string }): boolean => state === 'active'

const party = (random: Random, archivedPercent: number) => {
  const name = generateCompanyName(random)
  const city = generateCity(random)
  return {
    display_name: random.chance(60) ? `${name} ${legalForms[city.country]}` : name,
    contact_email: random.chance(30)
      ? mailOf(generateName(random), name)
      : `accounts@${slug(name)}.example`,
    vat_id: random.chance(85) ? `${city.country}${random.digits('#########')}` : null,
    currency_code: city.currency,
    addresses: generateAddresses(random, city),
    phones: generatePhones(random, city),
    state: random.chance(archivedPercent) ? ('archived' as const) : ('active' as const),
  }
}

const findVendor: SimulatedEvent = async (workspace, random) => {
  const payment_terms_days = random.pick([14, 30, 30, 45, 60])
  await workspace.create('vendors', { ...party(random, 12), payment_terms_days })
  return true
}

const winClient: SimulatedEvent = async (workspace, random) => {
  const credit_limit = random.chance(60) ? ofCents(random.integer(2, 40) * 50_000) : null
  await workspace.create('clients', { ...party(random, 8), credit_limit })
  return true
}

/** Adds the next item of the catalogue. */
const addItem: SimulatedEvent = async (workspace, random) => {
  const index = (await workspace.live('catalog_items')).length
  const isService = index >= goods.length
  const name = [...goods, ...services][index]
  if (name === undefined) return false
  const isStocked = !isService && random.chance(70)
  const price = random.integer(12, 640) * 100 + random.pick([0, 0, 50, 90])
  await workspace.create('catalog_items', {
    name,
    sku: `${slug(name).slice(0, 3).toUpperCase()}-${random.digits('####')}`,
    state: random.chance(7) ? 'archived' : 'active',
    nature: isService ? 'service' : isStocked ? 'stocked_goods' : 'goods',
    sale_price: ofCents(price),
    purchase_price: isService ? null : ofCents((price * random.integer(40, 70)) / 100),
    stock: isStocked ? random.integer(0, 240) : null,
    purchase_account: 'acc_0023',
    sales_account: isService ? 'acc_0022' : 'acc_0021',
    stock_account: isStocked ? 'acc_0007' : null,
    tax_code: isService && random.chance(30) ? 'tax_0002' : 'tax_0001',
  })
  return true
}

const rateOf = (currency: Currency): string =>
  // Safe cast: `in` has checked the key.
  currency in euroRates ? euroRates[currency as keyof typeof euroRates] : '1'

/** The fields of a document with one to four lines. */
const documentFields = async (
  workspace: Workspace,
  random: Random,
  side: 'sale' | 'purchase',
  currency: Currency,
) => {
  const isSale = side === 'sale'
  const items = await liveWhere(
    workspace,
    'catalog_items',
    (item) => isActive(item) && (isSale || item.purchase_price !== null),
  )
  const centers = await liveWhere(workspace, 'cost_centers', isActive)
  const centerOf = (percent: number) => (random.chance(percent) ? [random.pick(centers).id] : [])
  const lines = random.some(items, random.integer(1, 4)).map(({ id, fields }) => {
    const price = (isSale ? fields.sale_price : fields.purchase_price) ?? '80.00'
    return {
      text: fields.name,
      item: id,
      account: (isSale ? fields.sales_account : fields.purchase_account) ?? 'acc_0021',
      cost_centers: centerOf(50),
      unit_price: amount(times(units(price), 1 / Number(rateOf(currency)), currency)),
      quantity: random.pick([1, 1, 2, 2, 3, 4, 5, 8, 10, 12]),
      // Exports are zero-rated.
      tax_code: currency === 'EUR' ? fields.tax_code : 'tax_0004',
    }
  })
  return {
    remark: random.chance(40) ? random.pick(remarks) : null,
    currency_code: currency,
    fx_rate: rateOf(currency),
    cost_centers: centerOf(35),
    lines,
  }
}

/** Sends an old draft, or writes an invoice. */
const sendInvoice: SimulatedEvent = async (workspace, random) => {
  const [draft, ...drafts] = await liveWhere(workspace, 'invoices', ({ sent }) => !sent)
  if (draft && drafts.length > 2) {
    await workspace.update(draft, { sent: true })
    return true
  }
  const orders = await workspace.live('purchase_orders')
  return withOne(random, await liveWhere(workspace, 'clients', isActive), async (client) =>
    workspace.create('invoices', {
      ...(await documentFields(workspace, random, 'sale', client.fields.currency_code)),
      client: client.id,
      issued_on: dayOf(workspace),
      due_on: dayOf(workspace, random.pick([14, 30, 30])),
      discount_percent: random.chance(18) ? random.pick(['2', '5', '7.5', '10']) : '0',
      sent: random.chance(93),
      // The order of the goods of this sale.
      purchase_orders: orders.length > 0 && random.chance(15) ? [random.pick(orders).id] : [],
    }),
  )
}

/** The oldest purchase order that was received and not billed. */
const findUnbilled = async (workspace: Workspace) => {
  const bills = await workspace.live('bills')
  const billed = new Set(bills.flatMap(({ fields }) => fields.purchase_orders))
  const received = ({ state }: { state: string }) => state === 'received'
  return (await liveWhere(workspace, 'purchase_orders', received)).find(({ id }) => !billed.has(id))
}

/** Receives a bill, sometimes for a purchase order, whose lines it repeats. */
const receiveBill: SimulatedEvent = async (workspace, random) => {
  const [pending, ...others] = await liveWhere(workspace, 'bills', ({ approved }) => !approved)
  if (pending && others.length > 1) {
    await workspace.update(pending, { approved: true })
    return true
  }
  const order = random.chance(60) ? await findUnbilled(workspace) : undefined
  const vendors = await liveWhere(workspace, 'vendors', isActive)
  return withOne(random, vendors, async (vendor) => {
    const ordered = order && {
      vendor: order.fields.vendor,
      currency_code: order.fields.currency_code,
      fx_rate: order.fields.fx_rate,
      lines: order.fields.lines,
      purchase_orders: [order.id],
    }
    await workspace.create('bills', {
      ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency_code)),
      number: random.digits('R-######'),
      vendor: vendor.id,
      issued_on: dayOf(workspace),
      due_on: dayOf(workspace, vendor.fields.payment_terms_days),
      discount_percent: random.chance(12) ? '3' : '0',
      approved: random.chance(93),
      ...ordered,
    })
  })
}

const isOpen = ({ state, open_amount }: { state: string; open_amount: string }): boolean =>
  (state === 'open' || state === 'part_paid') && units(open_amount) > 0

/** Pays the open amount of one of the oldest documents, or half of it if nothing has been paid yet. */
const pay =
  (kind: 'invoices' | 'bills'): SimulatedEvent =>
  async (workspace, random) => {
    const documents: readonly (SandboxRecord<'invoices'> | SandboxRecord<'bills'>)[] =
      kind === 'invoices'
        ? await liveWhere(workspace, 'invoices', isOpen)
        : await liveWhere(workspace, 'bills', isOpen)
    return withOne(random, documents.slice(0, 8), ({ id, fields }) => {
      const { currency_code, fx_rate, cost_centers, number, open_amount, state } = fields
      const open = units(open_amount)
      const isHalf = state === 'open' && random.chance(25)
      return workspace.create('payments', {
        invoice: kind === 'invoices' ? id : null,
        bill: kind === 'bills' ? id : null,
        paid_on: dayOf(workspace),
        amount: amount(isHalf ? shareOf(open, '50', currency_code) : open),
        currency_code,
        fx_rate,
        account: random.chance(85) ? 'acc_0001' : 'acc_0002',
        method: random.pick(['transfer', 'transfer', 'transfer', 'card', 'direct_debit']),
        reference: number,
        cost_centers,
      })
    })
  }

const orderFromVendor: SimulatedEvent = async (workspace, random) =>
  withOne(random, await liveWhere(workspace, 'vendors', isActive), async (vendor) => {
    const [company] = await workspace.live('companies')
    const [address] = company?.fields.addresses ?? []
    await workspace.create('purchase_orders', {
      ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency_code)),
      vendor: vendor.id,
      account: 'acc_0023',
      ordered_on: dayOf(workspace),
      expected_on: random.chance(85) ? dayOf(workspace, random.integer(5, 40)) : null,
      deliver_to: address && random.chance(80) ? { ...address, kind: 'delivery' } : null,
    })
  })

const advanceOrder: SimulatedEvent = async (workspace, random) => {
  const isPending = ({ state }: { state: string }) => state === 'draft' || state === 'sent'
  const orders = await liveWhere(workspace, 'purchase_orders', isPending)
  return withOne(random, orders.slice(0, 5), (order) => {
    const next = order.fields.state === 'draft' ? 'sent' : 'received'
    return workspace.update(order, { state: random.chance(6) ? 'cancelled' : next })
  })
}

const changeVendorMail: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.live('vendors'), (vendor) => {
    const box = random.pick(['billing', 'office', 'accounts', 'hello'])
    const name = slug(vendor.fields.display_name) || 'vendor'
    const contact_email = `${box}${random.integer(2, 99)}@${name}.example`
    return workspace.update(vendor, { contact_email })
  })

const moveClient: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.live('clients'), (client) =>
    workspace.update(client, { addresses: generateAddresses(random, generateCity(random)) }),
  )

const countStock: SimulatedEvent = async (workspace, random) =>
  withOne(
    random,
    await liveWhere(workspace, 'catalog_items', ({ stock }) => stock !== null),
    (item) => workspace.update(item, { stock: (item.fields.stock ?? 0) + random.integer(1, 40) }),
  )

/** Events that only the history has. */
export const bookGrowth = { findVendor, winClient, addItem }

/** Events of the books, by name. */
export const bookEvents = {
  sendInvoice,
  receiveBill,
  payInvoice: pay('invoices'),
  payBill: pay('bills'),
  orderFromVendor,
  advanceOrder,
  changeVendorMail,
  moveClient,
  countStock,
}
