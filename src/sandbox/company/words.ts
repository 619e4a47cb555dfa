/** Word lists for generated records. */

const words = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Given names. */
export const givenNames = words(`
  Aoife, Björn, Carla, Daniel, Elif, Fiona, Grzegorz, Hannah, Ines, Jamal, Katarzyna, Liam, Maeve,
  Nikhil, Oluwaseun, Priya, Quentin, Rosa, Soren, Tomasz, Una, Viktor, Wen, Ximena, Yusuf, Zoë,
  Agnes, Benoît, Chidi, Dilnoza, Emil, Freya, Gita, Henrik, Imani, Jonas, Kofi, Lucía, Mei, Noor`)

/** Family names. */
export const familyNames = words(`
  Abbott, Bergström, Castellano, Dubois, Eriksen, Fitzgerald, Grabowski, Hughes, Ivanova, Jansen,
  Kowalski, Lindqvist, Moreau, Nakamura, Okafor, Petersen, Quinn, Rossi, Schneider, Takahashi,
  Ueda, Vasquez, Whelan, Xu, Yilmaz, Zimmermann, Adeyemi, Byrne, Costa, Doyle, Engel, Fischer,
  Gallagher, Haddad, Iqbal, Jovanović, Kelleher, Larsen, Mbeki, O'Sullivan`)

const firstWords = words(`
  Amber, Birch, Cedar, Cobalt, Copper, Delta, Driftwood, Ember, Falcon, Fern, Granite, Harbour,
  Heather, Ironwood, Juniper, Kestrel, Lantern, Linden, Marigold, Meadow, Nimbus, North Star, Oak,
  Orchard, Pebble, Quarry, Raven, River, Saffron, Silver, Slate, Summit, Thistle, Tidal, Willow`)

const lastWords = words(`
  Analytics, Bakery, Breweries, Ceramics, Clinics, Coffee Roasters, Design Studio, Distribution,
  Engineering, Farms, Foods, Furniture, Hospitality, Instruments, Joinery, Labs, Logistics, Media,
  Optics, Outfitters, Packaging, Print Works, Robotics, Software, Textiles, Tools, Transport`)

/** The parts of a company's name: `Harbour` and `Print Works`. */
export const companyWords = { first: firstWords, last: lastWords }

/** Industries of organizations. */
export const sectors = words(`
  Food and drink, Logistics, Manufacturing, Software, Hospitality, Health care, Retail, Media,
  Construction, Agriculture, Education, Energy`)

/** Job titles. */
export const jobTitles = words(`
  Head of Operations, Purchasing Manager, Chief Financial Officer, Office Manager, IT Lead,
  Marketing Director, Founder, Warehouse Manager, Sales Director, Product Manager, Accountant,
  Managing Director`)

/** Sources of leads. */
export const leadSources = words('Web form, Trade fair, Referral, Newsletter, Cold call, Partner')

/** Street names. */
export const streets = words(`
  Abbey Road, Bridge Street, Canal Walk, Dock Lane, Exchange Square, Foundry Street, Grove Avenue,
  Hill Street, Kiln Lane, Lime Street, Market Place, Mill Road, Orchard Way, Quay Street,
  Railway Terrace, Station Road`)

/** `phone`: a pattern of numbers that the regulator reserves for fiction. */
const country = <const Country, const Currency>(
  country: Country,
  countryName: string,
  currency: Currency,
  phone: string,
) => ({ country, countryName, currency, phone })

const ireland = country('IE', 'Ireland', 'EUR', '+353 20 91# ####')
const britain = country('GB', 'United Kingdom', 'GBP', '+44 20 7946 0###')
const germany = country('DE', 'Germany', 'EUR', '+49 30 23125 ###')
const france = country('FR', 'France', 'EUR', '+33 1 99 00 ## ##')
const sweden = country('SE', 'Sweden', 'SEK', '+46 8 465 004 ##')
const america = country('US', 'United States', 'USD', '+1 512 555 01##')

/** Cities of six countries and four currencies. */
export const cities = [
  { ...ireland, city: 'Dublin', region: 'Leinster', regionCode: 'IE-L', postcode: 'D0# X2#5' },
  { ...ireland, city: 'Cork', region: 'Munster', regionCode: 'IE-M', postcode: 'T12 Y#3#' },
  { ...ireland, city: 'Galway', region: 'Connacht', regionCode: 'IE-C', postcode: 'H91 E#7#' },
  {
    ...britain,
    city: 'London',
    region: 'Greater London',
    regionCode: 'GB-LND',
    postcode: 'SE1 #TL',
  },
  {
    ...britain,
    city: 'Manchester',
    region: 'North West',
    regionCode: 'GB-MAN',
    postcode: 'M1 #EQ',
  },
  { ...germany, city: 'Berlin', region: 'Berlin', regionCode: 'DE-BE', postcode: '101##' },
  { ...germany, city: 'Munich', region: 'Bavaria', regionCode: 'DE-BY', postcode: '803##' },
  { ...france, city: 'Paris', region: 'Île-de-France', regionCode: 'FR-IDF', postcode: '7500#' },
  { ...sweden, city: 'Stockholm', region: 'Stockholm', regionCode: 'SE-AB', postcode: '11# 2#' },
  { ...america, city: 'Austin', region: 'Texas', regionCode: 'US-TX', postcode: '787##' },
  { ...america, city: 'Portland', region: 'Oregon', regionCode: 'US-OR', postcode: '972##' },
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

/** Brands of products. */
export const brands = words('Hearth & Field, Northmoor, Atelier Lune, Kettle Row')

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
