/** Generates records of the shop. */
import { ofCents } from '../amounts.ts'
import type { KindInput, Stored } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import { generateCity, generateName, generatePostal, mailOf, slug } from './contacts.ts'

/** Generates a shopper. */
export const generateShopper = (random: Random): KindInput<'shoppers'> => {
  const name = generateName(random)
  return {
    ...name,
    email: mailOf(name, random.pick(['post', 'mail', 'inbox'])),
    phone: random.chance(75) ? random.digits(generateCity(random).phone) : null,
    accepts_marketing: random.chance(45),
  }
}

const sizes = { option: 'Size', choices: ['S', 'M', 'L', 'XL'] }
const colours = { option: 'Colour', choices: ['Slate', 'Moss', 'Sand'] }
const volumes = { option: 'Volume', choices: ['250 ml', '500 ml'] }
const none = { option: 'Edition', choices: ['Standard'] }

/** Products of the shop: name, category and variant option. */
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

/** Generates the product of one entry of the assortment; `shop` is the URL of the shop. */
export const generateProduct = (
  random: Random,
  [name, category, { option, choices }]: (typeof assortment)[number],
  shop: string,
): KindInput<'products'> => {
  const page = slug(name)
  const price = random.integer(6, 120) * 100 - random.pick([1, 5, 50])
  return {
    name,
    description_html: `<p>${name} by people who use it. ${category} that lasts.</p>`,
    category,
    state: random.chance(88) ? 'live' : random.pick(['draft', 'retired'] as const),
    pictures: Array.from(
      { length: random.integer(1, 3) },
      (_, index) => `${shop}/pictures/${page}-${index + 1}.jpg`,
    ),
    labels: random.some(['new', 'gift', 'bestseller', 'organic', 'sale'], random.integer(0, 2)),
    brand: random.pick(BRANDS),
    page: `${shop}/products/${page}`,
    variants: choices.map((choice, index) => ({
      label: choice,
      sku: `${page.slice(0, 4).toUpperCase()}-${index + 1}-${random.digits('###')}`,
      price: ofCents(price + index * 200),
      cost: ofCents((price * random.integer(35, 60)) / 100),
      options: [{ option, choice }],
      stock: random.integer(0, 80),
      weight_grams: random.integer(40, 1800),
    })),
  }
}

/** Generates an order of one to four live products. */
export const generateOrder = (
  random: Random,
  shopper: Stored<'shoppers'>,
  products: readonly Stored<'products'>[],
  placedAt: string,
): KindInput<'orders'> => {
  const city = generateCity(random)
  const { given_name, family_name, phone } = shopper.fields
  const home = generatePostal(random, city, { given_name, family_name }, phone)
  const live = products.filter(({ fields }) => fields.state === 'live')
  return {
    placed_at: placedAt,
    payment_state: random.chance(85) ? 'paid' : 'pending',
    discount: random.chance(20) ? ofCents(random.integer(1, 5) * 100) : '0.00',
    shipping: random.pick(['0.00', '4.90', '4.90', '7.50']),
    shopper: shopper.id,
    bill_to: home,
    ship_to: random.chance(85)
      ? home
      : generatePostal(random, generateCity(random), generateName(random), phone),
    items: random.some(live, random.integer(1, 4)).map(({ id, fields }) => ({
      product: id,
      variant: random.pick(fields.variants).id,
      quantity: random.pick([1, 1, 1, 2, 2, 3]),
    })),
  }
}

const CARRIERS = [
  ['An Post', 'Tracked', 'https://track.anpost.example/'],
  ['DPD', 'Next day', 'https://track.dpd.example/'],
  ['UPS', 'Standard', 'https://track.ups.example/'],
] as const

/** Generates a shipment of the full quantity of some items of an order. */
export const generateShipment = (
  random: Random,
  order: Stored<'orders'>,
  items: readonly { readonly id: string; readonly quantity: number }[],
  shippedAt: string,
): KindInput<'shipments'> => {
  const [carrier, service, track] = random.pick(CARRIERS)
  const number = random.digits('SB########IE')
  return {
    order: order.id,
    carrier,
    service,
    shipped_at: shippedAt,
    parcels: [{ tracking_number: number, tracking_page: `${track}${number}` }],
    items: items.map(({ id, quantity }) => ({ order_item: id, quantity })),
  }
}
