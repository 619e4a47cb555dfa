/** Word lists for generated records. */

const words = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Given names. */
export const givenNames = words(`
  Aoife, Björn, Carla, Daniel, Elif, Fiona, Grzegorz, Hannah, Jamal, Katarzyna, Liam, Maeve, Nikhil,
  Oluwaseun, Priya, Quentin, Rosa, Tomasz, Una, Viktor, Wen, Ximena, Yusuf, Zoë, Benoît, Lucía`)

/** Family names. */
export const familyNames = words(`
  Abbott, Bergström, Castellano, Dubois, Eriksen, Fitzgerald, Grabowski, Hughes, Ivanova, Jansen,
  Kowalski, Lindqvist, Moreau, Nakamura, Okafor, Rossi, Schneider, Ueda, Yilmaz, O'Sullivan`)

/** The first words of companies' names: `Harbour` in `Harbour Print Works`. */
export const companyNames = words(`
  Amber, Birch, Cedar, Copper, Delta, Ember, Falcon, Fern, Granite, Harbour, Juniper, Kestrel,
  Lantern, Meadow, Nimbus, North Star, Oak, Pebble, Quarry, Raven, Saffron, Slate, Thistle, Willow`)

/** The trades in companies' names: `Print Works`. */
export const trades = words(`
  Analytics, Bakery, Breweries, Ceramics, Coffee Roasters, Design Studio, Engineering, Farms, Foods,
  Furniture, Instruments, Joinery, Labs, Logistics, Optics, Packaging, Print Works, Textiles, Tools`)

/** The team of the company. */
export const team = words(`
  Niamh Kavanagh, Marco Ferrari, Piotr Nowak, Ayesha Rahman, Conor Brennan, Julia Weber,
  Declan Murphy, Saoirse Walsh`)

/** Industries of organizations. */
export const sectors = words(`
  Food and drink, Logistics, Manufacturing, Software, Hospitality, Retail, Construction, Energy`)

/** Job titles. */
export const jobTitles = words(`
  Head of Operations, Purchasing Manager, Chief Financial Officer, Office Manager, IT Lead, Founder,
  Warehouse Manager, Sales Director, Accountant`)

/** Sources of leads. */
export const leadSources = words('Web form, Trade fair, Referral, Newsletter, Cold call, Partner')

/** Street names. */
export const streets = words(`
  Abbey Road, Bridge Street, Canal Walk, Dock Lane, Exchange Square, Foundry Street, Grove Avenue,
  Hill Street, Kiln Lane, Market Place, Quay Street, Station Road`)

/** Cities of a country. `phone`: a pattern of numbers that the regulator reserves for fiction. */
const citiesOf = <const Country extends string, const Currency extends string>(
  country: Country,
  countryName: string,
  currency: Currency,
  phone: string,
  rows: readonly (readonly [city: string, region: string, code: string, postcode: string])[],
) =>
  rows.map(([city, region, code, postcode]) => {
    const regionCode = `${country}-${code}`
    return { country, countryName, currency, phone, city, region, regionCode, postcode }
  })

/** Cities of six countries and four currencies. The company is in the first. */
export const cities = [
  ...citiesOf('IE', 'Ireland', 'EUR', '+353 20 91# ####', [
    ['Dublin', 'Leinster', 'L', 'D0# X2#5'],
    ['Cork', 'Munster', 'M', 'T12 Y#3#'],
    ['Galway', 'Connacht', 'C', 'H91 E#7#'],
  ]),
  ...citiesOf('GB', 'United Kingdom', 'GBP', '+44 20 7946 0###', [
    ['London', 'Greater London', 'LND', 'SE1 #TL'],
    ['Manchester', 'North West', 'MAN', 'M1 #EQ'],
  ]),
  ...citiesOf('DE', 'Germany', 'EUR', '+49 30 23125 ###', [
    ['Berlin', 'Berlin', 'BE', '101##'],
    ['Munich', 'Bavaria', 'BY', '803##'],
  ]),
  ...citiesOf('FR', 'France', 'EUR', '+33 1 99 00 ## ##', [
    ['Paris', 'Île-de-France', 'IDF', '7500#'],
  ]),
  ...citiesOf('SE', 'Sweden', 'SEK', '+46 8 465 004 ##', [
    ['Stockholm', 'Stockholm', 'AB', '11# 2#'],
  ]),
  ...citiesOf('US', 'United States', 'USD', '+1 512 555 01##', [
    ['Austin', 'Texas', 'TX', '787##'],
    ['Portland', 'Oregon', 'OR', '972##'],
  ]),
]

/** A city in which records are located. */
export type City = (typeof cities)[number]

/** Fictional exchange rates: euro for one unit of each currency. */
export const euroRates: Readonly<Record<string, string>> = {
  EUR: '1',
  GBP: '1.1640',
  SEK: '0.0912',
  USD: '0.8615',
}

/** Goods that the company buys and sells. */
export const goods = words(`
  Standing desk, Office chair, Filing cabinet, Desk lamp, Whiteboard, Meeting table, Acoustic panel,
  Coat stand, Monitor arm, Laptop stand, Docking station, Wireless keyboard, Network switch,
  Label printer, Barcode scanner, Shelving unit, Packing tape (box of 36),
  Shipping carton (pack of 50), Pallet wrap, First-aid kit`)

/** Services that the company sells. */
export const services = words(`
  Installation per hour, Consulting per day, Training workshop, Monthly maintenance contract,
  Remote support per hour, Site survey, Project management per day, Delivery and assembly,
  Removal of old furniture, Design review`)

/** Remarks on documents. */
export const remarks = words(`
  Please quote the number when paying., As agreed by telephone., Second part follows.,
  Thank you for your business.`)

/** Projects that deals are about. */
export const projects = words('Office move, New warehouse, Annual supply, Fit-out, Pilot, Renewal')

/** Texts of notes. */
export const noteTexts = words(`
  Wants a revised quote by the end of the month.
  Happy with the last delivery and asked about a second site.
  Budget is approved; decision in the next board meeting.
  Has a competing offer. Follow up next week.`)

/** Titles of tasks. */
export const taskTitles = words(
  'Send quote, Call back, Prepare demo, Check credit, Book site survey',
)

/** Tags of products. */
export const tags = words('new, gift, bestseller, organic, sale')

/** Carriers of shipments: name, service and tracking page. */
export const carriers = [
  ['An Post', 'Tracked', 'https://track.anpost.example/'],
  ['DPD', 'Next day', 'https://track.dpd.example/'],
  ['UPS', 'Standard', 'https://track.ups.example/'],
] as const

const sizes = { option: 'Size', choices: words('S, M, L, XL') }
const colours = { option: 'Colour', choices: words('Slate, Moss, Sand') }
const volumes = { option: 'Volume', choices: words('250 ml, 500 ml') }
const single = { option: 'Edition', choices: words('Standard') }

const products = (category: string, options: typeof sizes, names: string) =>
  words(names).map((name) => [name, category, options] as const)

/** Products of the shop: name, category and variant option. */
export const assortment = [
  ...products('Clothing', sizes, 'Wool jumper, Rain jacket, Linen shirt, Work trousers'),
  ...products('Clothing', colours, 'Canvas apron, Beanie'),
  ...products('Accessories', sizes, 'Leather belt'),
  ...products('Accessories', colours, 'Tote bag, Day pack'),
  ...products('Kitchen', volumes, 'Travel mug, Water bottle'),
  ...products('Kitchen', colours, 'Enamel bowl, Pepper mill, Tea towel'),
  ...products('Kitchen', single, 'Chopping board, Paring knife'),
  ...products('Bath', volumes, 'Hand soap'),
  ...products('Bath', colours, 'Bath towel'),
  ...products('Home', single, 'Beeswax candle'),
  ...products('Home', colours, 'Wool blanket, Cushion cover'),
  ...products('Stationery', single, 'Notebook, Brass pen, Gift card sleeve'),
  ...products('Stationery', colours, 'Desk tray'),
]
