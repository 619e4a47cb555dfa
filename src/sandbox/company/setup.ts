/** How the company starts: its own data, its books, its team, its pipeline, and what it sells. */
import { amount, ofCents, units } from '../amounts.ts'
import { chart } from './chart.ts'
import type { EventContext } from './event.ts'
import { mailOf, slug } from './samples.ts'
import { cities, goods, services, team } from './words.ts'

const TAX_CODES = [
  ['Standard rate', 23, 23],
  ['Reduced rate', 13.5, 13.5],
  ['Second reduced rate', 9, 9],
  ['Export, zero rate', 0, 0],
  // The buyer owes the tax, so the rate is 23 % but nothing is charged.
  ['Reverse charge', 23, 0],
] as const

const COST_CENTERS = [
  ['Sales', 'department', null],
  ['Inside sales', 'department', 'cc_0001'],
  ['Field sales', 'department', 'cc_0001'],
  ['Operations', 'department', null],
  ['Warehouse', 'department', 'cc_0004'],
  ['Administration', 'department', null],
  ['Dublin', 'location', null],
  ['Cork', 'location', null],
  ['Berlin', 'location', null],
] as const

const STAGES = [
  ['Qualified', 10],
  ['Meeting held', 25],
  ['Quote sent', 50],
  ['Negotiation', 75],
  ['Won', 100],
  ['Lost', 0],
] as const

const openChart = async ({ workspace }: EventContext): Promise<void> => {
  for (const [accountNumber, accountName, accountType, accountDescription, ...more] of chart) {
    const [opening = 0, parentAccountId = null] = more
    const account = await workspace.create('ledger_accounts', {
      accountNumber,
      accountName,
      accountType,
      accountDescription,
      accountStatus: accountName === 'Petty cash' ? 'INACTIVE' : 'ACTIVE',
      parentAccountId,
    })
    workspace.revise(account, { currentBalance: amount(units(`${opening}000`)) })
  }
}

/** A random price in cents that ends like a price: 189.00, 24.95. */
const priceOf = ({ random }: EventContext): number =>
  random.integer(12, 640) * 100 - random.pick([0, 0, 5, 50])

/** Adds goods to the books and to the shop. */
const offerGoods = async (
  context: EventContext,
  { name, category, option, choices }: (typeof goods)[number],
): Promise<void> => {
  const { workspace, random, sample } = context
  const price = priceOf(context)
  const cost = ofCents((price * random.integer(40, 70)) / 100)
  const isStocked = random.chance(70)
  await workspace.create('catalog_items', {
    itemName: name,
    itemStatus: random.chance(7) ? 'ARCHIVED' : 'ACTIVE',
    itemType: isStocked ? 'INVENTORY' : 'NON_INVENTORY',
    unitPrice: ofCents(price),
    purchasePrice: cost,
    qtyOnHand: isStocked ? random.integer(0, 240) : null,
    billAccountId: 'acc_0023',
    invoiceAccountId: 'acc_0021',
    assetAccountId: isStocked ? 'acc_0007' : null,
  })
  await workspace.create('products', {
    ...(await sample('products')),
    productName: name,
    description: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    productType: category,
    productStatus: random.chance(88) ? 'live' : random.pick(['draft', 'retired']),
    variants: choices.map((value, index) => ({
      title: value,
      sku: `${slug(name).slice(0, 4).toUpperCase()}-${index + 1}-${random.digits('###')}`,
      price: ofCents(price + index * 200),
      cost,
      optionValues: [{ name: option, value }],
      inventory: { totalCount: random.integer(0, 80) },
      weight: { value: random.integer(40, 1800) },
    })),
  })
}

/** Company name of a tenant: `north-star` becomes `North Star`. */
const titleOf = (tenant: string): string =>
  tenant
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

/** Creates the records that everything else depends on. */
export const setUp = async (context: EventContext, tenant: string): Promise<void> => {
  const { workspace, random, sample } = context
  const company = titleOf(tenant)
  await workspace.create('companies', {
    ...(await sample('companies', { company, city: random.pick(cities.slice(0, 1)) })),
    companyName: company,
    companyLegalName: `${company} Trading Limited`,
    taxNumber: random.digits('IE#######TH'),
    fiscalYearEndMonth: 12,
    fiscalYearEndDay: 31,
    companyUrls: [`https://www.${slug(company)}.example`, `https://shop.${slug(company)}.example`],
  })
  for (const [description, totalTaxRate, effectiveTaxRate] of TAX_CODES)
    await workspace.create('tax_codes', { description, totalTaxRate, effectiveTaxRate })
  for (const [name, type, parentCategoryId] of COST_CENTERS)
    await workspace.create('cost_centers', {
      trackingCategoryName: name,
      trackingCategoryType: type,
      trackingCategoryStatus: name === 'Berlin' ? 'archived' : 'active',
      parentCategoryId,
    })
  await openChart(context)
  for (const [index, name] of team.entries()) {
    const [firstName = '', lastName = ''] = name.split(' ')
    const email = mailOf({ firstName, lastName, company })
    await workspace.create('members', { name, email, isActive: index !== 6 })
  }
  for (const [index, [stageName, probability]] of STAGES.entries())
    await workspace.create('deal_stages', {
      stageName,
      pipelineName: 'Sales',
      displayOrder: index + 1,
      probability,
    })
  for (const itemName of services)
    await workspace.create('catalog_items', {
      itemName,
      itemType: 'SERVICE',
      unitPrice: ofCents(priceOf(context)),
      invoiceAccountId: 'acc_0022',
    })
  for (const each of goods) await offerGoods(context, each)
}
