/** Generates vendors, clients and items. */
import { ofCents } from '../amounts.ts'
import type { KindInput } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import {
  generateAddresses,
  generateCity,
  generateName,
  generatePhones,
  mailOf,
  slug,
} from './contacts.ts'
import type { City } from './words.ts'

const legalForms = { DE: 'GmbH', FR: 'SARL', GB: 'Ltd', IE: 'Ltd', SE: 'AB', US: 'Inc.' } as const

const party = (random: Random, name: string, city: City) => ({
  display_name: random.chance(60) ? `${name} ${legalForms[city.country]}` : name,
  contact_email: random.chance(30)
    ? mailOf(generateName(random), name)
    : `accounts@${slug(name)}.example`,
  vat_id: random.chance(85) ? `${city.country}${random.digits('#########')}` : null,
  currency_code: city.currency,
  addresses: generateAddresses(random, city),
  phones: generatePhones(random, city),
})

/** Generates a vendor with this name. */
export const generateVendor = (random: Random, name: string): KindInput<'vendors'> => ({
  ...party(random, name, generateCity(random)),
  state: random.chance(12) ? 'archived' : 'active',
  payment_terms_days: random.pick([14, 30, 30, 45, 60]),
})

/** Generates a client with this name. */
export const generateClient = (random: Random, name: string): KindInput<'clients'> => ({
  ...party(random, name, generateCity(random)),
  state: random.chance(8) ? 'archived' : 'active',
  credit_limit: random.chance(60) ? ofCents(random.integer(2, 40) * 50_000) : null,
})

const goods = [
  'Standing desk',
  'Office chair',
  'Filing cabinet',
  'Desk lamp',
  'Whiteboard',
  'Meeting table',
  'Acoustic panel',
  'Coat stand',
  'Monitor arm',
  'Laptop stand',
  'Docking station',
  'Wireless keyboard',
  'Network switch',
  'Label printer',
  'Barcode scanner',
  'Shelving unit',
  'Packing tape, box of 36',
  'Shipping carton, pack of 50',
  'Pallet wrap',
  'First-aid kit',
] as const

const services = [
  'Installation, per hour',
  'Consulting, per day',
  'Training workshop',
  'Maintenance contract, monthly',
  'Remote support, per hour',
  'Site survey',
  'Project management, per day',
  'Delivery and assembly',
  'Removal of old furniture',
  'Design review',
] as const

/** Names of all items of the catalogue. */
export const itemNames: readonly string[] = [...goods, ...services]

/** Ledger account ids that items post to. */
export interface ItemAccounts {
  readonly sales: string
  readonly services: string
  readonly purchases: string
  readonly stock: string
}

/** Generates the item with this name. Its purchase price is 40 to 70 percent of the sale price. */
export const generateItem = (
  random: Random,
  name: string,
  accounts: ItemAccounts,
): KindInput<'catalog_items'> => {
  const isService = services.some((service) => service === name)
  const isStocked = !isService && random.chance(70)
  const price = random.integer(12, 640) * 100 + random.pick([0, 0, 50, 90])
  return {
    name,
    sku: `${slug(name).slice(0, 3).toUpperCase()}-${random.digits('####')}`,
    state: random.chance(7) ? 'archived' : 'active',
    nature: isService ? 'service' : isStocked ? 'stocked_goods' : 'goods',
    sale_price: ofCents(price),
    purchase_price: isService ? null : ofCents((price * random.integer(40, 70)) / 100),
    stock: isStocked ? random.integer(0, 240) : null,
    purchase_account: accounts.purchases,
    sales_account: isService ? accounts.services : accounts.sales,
    stock_account: isStocked ? accounts.stock : null,
    tax_code: isService && random.chance(30) ? 'tax_0002' : 'tax_0001',
  }
}
