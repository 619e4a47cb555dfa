/** Invented parties and goods of the books. */
import { amount } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import type { Given } from '../kinds/kinds.ts'
import { inventAddresses, inventCity, inventName, inventPhones, mailOf, slug } from './contacts.ts'
import type { City } from './words.ts'

const legalForms = { DE: 'GmbH', FR: 'SARL', GB: 'Ltd', IE: 'Ltd', SE: 'AB', US: 'Inc.' } as const

const party = (dice: Dice, name: string, city: City) => ({
  display_name: dice.chance(60) ? `${name} ${legalForms[city.country]}` : name,
  contact_email: dice.chance(30)
    ? mailOf(inventName(dice), name)
    : `accounts@${slug(name)}.example`,
  vat_id: dice.chance(85) ? `${city.country}${dice.digits('#########')}` : null,
  currency_code: city.currency,
  addresses: inventAddresses(dice, city),
  phones: inventPhones(dice, city),
})

/** A vendor of that name. */
export const inventVendor = (dice: Dice, name: string): Given<'vendors'> => ({
  ...party(dice, name, inventCity(dice)),
  state: dice.chance(12) ? 'archived' : 'active',
  payment_terms_days: dice.pick([14, 30, 30, 45, 60]),
})

/** A client of that name. */
export const inventClient = (dice: Dice, name: string): Given<'clients'> => ({
  ...party(dice, name, inventCity(dice)),
  state: dice.chance(8) ? 'archived' : 'active',
  credit_limit: dice.chance(60) ? amount(dice.integer(2, 40) * 50_000) : null,
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

/** The names of all that is in the catalogue. */
export const itemNames: readonly string[] = [...goods, ...services]

/** The ledger accounts that a catalogue posts to. */
export interface ItemAccounts {
  readonly sales: string
  readonly services: string
  readonly purchases: string
  readonly stock: string
}

/** The item of that name: bought at some 40 to 70 percent of what it is sold for. */
export const inventItem = (
  dice: Dice,
  name: string,
  accounts: ItemAccounts,
): Given<'catalog_items'> => {
  const isService = services.some((service) => service === name)
  const isStocked = !isService && dice.chance(70)
  const price = dice.integer(12, 640) * 100 + dice.pick([0, 0, 50, 90])
  return {
    name,
    sku: `${slug(name).slice(0, 3).toUpperCase()}-${dice.digits('####')}`,
    state: dice.chance(7) ? 'archived' : 'active',
    nature: isService ? 'service' : isStocked ? 'stocked_goods' : 'goods',
    sale_price: amount(price),
    purchase_price: isService ? null : amount((price * dice.integer(40, 70)) / 100),
    stock: isStocked ? dice.integer(0, 240) : null,
    purchase_account: accounts.purchases,
    sales_account: isService ? accounts.services : accounts.sales,
    stock_account: isStocked ? accounts.stock : null,
    tax_code: isService && dice.chance(30) ? 'tax_0002' : 'tax_0001',
  }
}
