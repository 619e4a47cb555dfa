/** Invented goods, buyers and orders of the shop. */
import { amount } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import type { Given, Stored } from '../kinds/kinds.ts'
import { inventCity, inventName, inventPostal, mailOf, slug } from './contacts.ts'

/** A new buyer. */
export const inventShopper = (dice: Dice): Given<'shoppers'> => {
  const name = inventName(dice)
  return {
    ...name,
    email: mailOf(name, dice.pick(['post', 'mail', 'inbox'])),
    phone: dice.chance(75) ? dice.digits(inventCity(dice).phone) : null,
    accepts_marketing: dice.chance(45),
  }
}

const sizes = { option: 'Size', choices: ['S', 'M', 'L', 'XL'] }
const colours = { option: 'Colour', choices: ['Slate', 'Moss', 'Sand'] }
const volumes = { option: 'Volume', choices: ['250 ml', '500 ml'] }
const none = { option: 'Edition', choices: ['Standard'] }

/** Everything the shop sells: name, category, and how its variants differ. */
export const assortment = [
  ['Wool jumper', 'Clothing', sizes],
  ['Rain jacket', 'Clothing', sizes],
  ['Linen shirt', 'Clothing', sizes],
  ['Work trousers', 'Clothing', sizes],
  ['Canvas apron', 'Clothing', colours],
  ['Beanie', 'Clothing', colours],
  ['Leather belt', 'Accessories', sizes],
  ['Tote bag', 'Accessories', colours],
  ['Day pack', 'Accessories', colours],
  ['Travel mug', 'Kitchen', volumes],
  ['Water bottle', 'Kitchen', volumes],
  ['Enamel bowl', 'Kitchen', colours],
  ['Chopping board', 'Kitchen', none],
  ['Paring knife', 'Kitchen', none],
  ['Pepper mill', 'Kitchen', colours],
  ['Tea towel', 'Kitchen', colours],
  ['Hand soap', 'Bath', volumes],
  ['Bath towel', 'Bath', colours],
  ['Beeswax candle', 'Home', none],
  ['Wool blanket', 'Home', colours],
  ['Cushion cover', 'Home', colours],
  ['Notebook', 'Stationery', none],
  ['Brass pen', 'Stationery', none],
  ['Desk tray', 'Stationery', colours],
  ['Gift card sleeve', 'Stationery', none],
] as const

const BRANDS = ['Hearth & Field', 'Northmoor', 'Atelier Lune', 'Kettle Row']

/** The product of one line of the assortment; `shop` is the address of the shop. */
export const inventProduct = (
  dice: Dice,
  [name, category, { option, choices }]: (typeof assortment)[number],
  shop: string,
): Given<'products'> => {
  const page = slug(name)
  const price = dice.integer(6, 120) * 100 - dice.pick([1, 5, 50])
  return {
    name,
    description_html: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    category,
    state: dice.chance(88) ? 'live' : dice.pick(['draft', 'retired'] as const),
    pictures: Array.from(
      { length: dice.integer(1, 3) },
      (_, index) => `${shop}/pictures/${page}-${index + 1}.jpg`,
    ),
    labels: dice.some(['new', 'gift', 'bestseller', 'organic', 'sale'], dice.integer(0, 2)),
    brand: dice.pick(BRANDS),
    page: `${shop}/products/${page}`,
    variants: choices.map((choice, index) => ({
      label: choice,
      sku: `${page.slice(0, 4).toUpperCase()}-${index + 1}-${dice.digits('###')}`,
      price: amount(price + index * 200),
      cost: amount((price * dice.integer(35, 60)) / 100),
      options: [{ option, choice }],
      stock: dice.integer(0, 80),
      weight_grams: dice.integer(40, 1800),
    })),
  }
}

/** An order of one to four things that are on sale. */
export const inventOrder = (
  dice: Dice,
  shopper: Stored<'shoppers'>,
  products: readonly Stored<'products'>[],
  placedAt: string,
): Given<'orders'> => {
  const city = inventCity(dice)
  const { given_name, family_name, phone } = shopper.fields
  const home = inventPostal(dice, city, { given_name, family_name }, phone)
  const live = products.filter(({ fields }) => fields.state === 'live')
  return {
    placed_at: placedAt,
    payment_state: dice.chance(85) ? 'paid' : 'pending',
    discount: dice.chance(20) ? amount(dice.integer(1, 5) * 100) : '0.00',
    shipping: dice.pick(['0.00', '4.90', '4.90', '7.50']),
    shopper: shopper.id,
    bill_to: home,
    ship_to: dice.chance(85) ? home : inventPostal(dice, inventCity(dice), inventName(dice), phone),
    items: dice.some(live, dice.integer(1, 4)).map(({ id, fields }) => ({
      product: id,
      variant: dice.pick(fields.variants).id,
      quantity: dice.pick([1, 1, 1, 2, 2, 3]),
    })),
  }
}

const CARRIERS = [
  ['An Post', 'Tracked', 'https://track.anpost.example/'],
  ['DPD', 'Next day', 'https://track.dpd.example/'],
  ['UPS', 'Standard', 'https://track.ups.example/'],
] as const

/** The shipment of some items of an order, all of each. */
export const inventShipment = (
  dice: Dice,
  order: Stored<'orders'>,
  items: readonly { readonly id: string; readonly quantity: number }[],
  shippedAt: string,
): Given<'shipments'> => {
  const [carrier, service, track] = dice.pick(CARRIERS)
  const number = dice.digits('SB########IE')
  return {
    order: order.id,
    carrier,
    service,
    shipped_at: shippedAt,
    parcels: [{ tracking_number: number, tracking_page: `${track}${number}` }],
    items: items.map(({ id, quantity }) => ({ order_item: id, quantity })),
  }
}
