/** Names, places and goods of generated records. */

/** The entries of a list that is separated by commas or lines. */
export const listed = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** Given names. */
export const givenNames = listed(`
  Aoife, Björn, Carla, Daniel, Elif, Fiona, Grzegorz, Hannah, Jamal, Katarzyna, Liam, Maeve, Nikhil,
  Oluwaseun, Priya, Quentin, Rosa, Tomasz, Una, Viktor, Wen, Ximena, Yusuf, Zoë, Benoît, Lucía`)

/** Family names. */
export const familyNames = listed(`
  Abbott, Bergström, Castellano, Dubois, Eriksen, Fitzgerald, Grabowski, Hughes, Ivanova, Jansen,
  Kowalski, Lindqvist, Moreau, Nakamura, Okafor, Rossi, Schneider, Ueda, Yilmaz, O'Sullivan`)

/** The first words of companies' names: `Harbour` in `Harbour Print Works`. */
export const companyNames = listed(`
  Amber, Birch, Cedar, Copper, Delta, Ember, Falcon, Fern, Granite, Harbour, Juniper, Kestrel,
  Lantern, Meadow, Nimbus, North Star, Oak, Pebble, Quarry, Raven, Saffron, Slate, Thistle, Willow`)

/** The trades in companies' names: `Print Works`. */
export const trades = listed(`
  Analytics, Bakery, Breweries, Ceramics, Coffee Roasters, Design Studio, Engineering, Farms, Foods,
  Furniture, Instruments, Joinery, Labs, Logistics, Optics, Packaging, Print Works, Textiles, Tools`)

/** The team of the company. */
export const team = listed(`
  Niamh Kavanagh, Marco Ferrari, Piotr Nowak, Ayesha Rahman, Conor Brennan, Julia Weber,
  Declan Murphy, Saoirse Walsh`)

/** Remarks on documents. */
export const remarks = listed(`
  Please quote the number when paying., As agreed by telephone., Second part follows.,
  Thank you for your business.`)

const ireland = { country: 'IE', countryName: 'Ireland', currency: 'EUR' }
const britain = { country: 'GB', countryName: 'United Kingdom', currency: 'GBP' }
const germany = { country: 'DE', countryName: 'Germany', currency: 'EUR' }
const sweden = { country: 'SE', countryName: 'Sweden', currency: 'SEK' }
const usa = { country: 'US', countryName: 'United States', currency: 'USD' }

// Telephone numbers are of ranges that the regulators reserve for fiction.
const rows = [
  [ireland, 'Dublin', 'Leinster', 'L', 'D0# X2#5', '+353 20 91# ####'],
  [ireland, 'Cork', 'Munster', 'M', 'T12 Y#3#', '+353 20 91# ####'],
  [ireland, 'Galway', 'Connacht', 'C', 'H91 E#7#', '+353 20 91# ####'],
  [britain, 'London', 'Greater London', 'LND', 'SE1 #TL', '+44 20 7946 0###'],
  [britain, 'Manchester', 'North West', 'MAN', 'M1 #EQ', '+44 161 496 0###'],
  [germany, 'Berlin', 'Berlin', 'BE', '101##', '+49 30 23125 ###'],
  [germany, 'Munich', 'Bavaria', 'BY', '803##', '+49 89 99998 ###'],
  [sweden, 'Stockholm', 'Stockholm', 'AB', '11# 2#', '+46 8 465 004 ##'],
  [usa, 'Austin', 'Texas', 'TX', '787##', '+1 512 555 01##'],
  [usa, 'Portland', 'Oregon', 'OR', '972##', '+1 503 555 01##'],
] as const

/** Cities in five countries with four currencies. The company is in the first. */
export const cities = rows.map(([country, city, region, code, postcode, phone]) => {
  const regionCode = `${country.country}-${code}`
  return { ...country, city, region, regionCode, postcode, phone }
})

/** A city in which records are located. */
export type City = (typeof cities)[number]

/** Fictional exchange rates: euro for one unit of each currency. */
export const euroRates: Readonly<Record<string, string>> = {
  EUR: '1',
  GBP: '1.1640',
  SEK: '0.0912',
  USD: '0.8615',
}

const colours = { option: 'Colour', choices: listed('Slate, Moss, Sand, Chalk') }
const sizes = { option: 'Size', choices: listed('S, M, L, XL') }
const single = { option: 'Edition', choices: listed('Standard') }

const goodsOf = (category: string, variants: typeof colours, names: string) =>
  listed(names).map((name) => ({ name, category, ...variants }))

/** The goods of the company. In the shop, each has a variant for each choice of its option. */
export const goods = [
  ...goodsOf('Furniture', colours, 'Standing desk, Office chair, Filing cabinet, Coat stand'),
  ...goodsOf('Furniture', single, 'Meeting table, Whiteboard, Acoustic panel, Shelving unit'),
  ...goodsOf('Lighting', colours, 'Desk lamp, Floor lamp'),
  ...goodsOf('Workwear', sizes, 'Rain jacket, Work trousers, Canvas apron, Wool jumper'),
  ...goodsOf('Electronics', single, 'Monitor arm, Laptop stand, Docking station, Network switch'),
  ...goodsOf('Supplies', single, 'Packing tape (box of 36), Shipping carton (pack of 50)'),
]

/** The services of the company. */
export const services = listed(`
  Installation per hour, Consulting per day, Training workshop, Monthly maintenance contract,
  Remote support per hour, Site survey, Delivery and assembly, Design review`)
