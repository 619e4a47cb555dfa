/** Example records, one per resource, of one fictional company and consistent with each other. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { recordId } from '../../src/definition/identity.ts'
import type { ExampleSource, Field, Fields } from '../../src/definition/kinds/kind.ts'
import type { Resource } from '../../src/definition/resource.ts'
import type { FilterParameter } from '../../src/query/filter.ts'
import { inWords } from './in-words.ts'

export const CREDENTIAL_ID = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'
export const REMOTE_ID = '1042'

/** Texts by field name, specific patterns first; `Type.field` where the name alone is ambiguous. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^AccountingAccount\.accountName$/, 'Sales'],
  [/^AccountingAccount\.accountNumber$/, '4000'],
  [/^AccountingAccount\.accountDescription$/, 'Income from goods and services'],
  [/^AccountingTaxRate\.description$/, 'Standard rate'],
  [/^AccountingPurchaseOrder\.purchaseOrderNumber$/, 'PO-1042'],
  [/^CrmAccount\.description$/, 'Maker of marine lamps'],
  [/^Commerce(Order)\.fulfillmentStatus$/, 'partially shipped'],
  [/^Commerce(Order)\.paymentStatus$/, 'paid'],
  [/^CommerceProduct\.description$/, 'A lantern of brass, made by hand.'],
  [/^CommerceProduct\.productStatus$/, 'active'],
  [/^CommerceProduct\.vendor$/, 'Harbour Light Ltd'],
  [/^CommerceFulfillment\.service$/, 'Standard'],
  [/^ProductVariant\.title$/, 'Brass'],
  [/^ProductOptionValue\.name$/, 'Metal'],
  [/^ProductOptionValue\.value$/, 'Brass'],
  [/^\w+LineItem\.description$/, 'Brass lantern'],
  [/\.remoteId$|lineItemId$/, REMOTE_ID],
  [/email(Address)?$/i, 'ada.meyer@harbour-light.example'],
  [/emailAddressType$/, 'Work'],
  [/phone(Number)?$/i, '+44 20 7946 0123'], // Ofcom: 020 7946 0xxx is kept for fiction
  [/(url|website)$/i, 'https://harbour-light.example'],
  [/taxNumber$/, 'GB123456789'],
  [/orderNumber$/, '1042'],
  [/billNumber$/, 'B-1042'],
  [/invoiceNumber$/, 'INV-1042'],
  [/firstName$/, 'Ada'],
  [/lastName$/, 'Meyer'],
  [/(Owner|User\.name)$/, 'Ada Meyer'],
  [/(company|companyName|companyLegalName|vendorName|customerName)$/, 'Harbour Light Ltd'],
  [/accountName$/, 'Harbour Light Ltd'],
  [/(itemName|productName|LineItem\.title)$/, 'Brass lantern'],
  [/trackingCategoryName$/, 'Workshop'],
  [/trackingCategoryType$/, 'Department'],
  [/productType$/, 'Lamps'],
  [/sku$/, 'LANTERN-BRASS'],
  [/unit$/, 'kg'],
  [/carrier$/, 'Royal Mail'],
  [/industry$/, 'Manufacturing'],
  [/leadSource$/, 'Trade fair'],
  [/leadTitle$/, 'Head of purchasing'],
  [/stageName$/, 'Negotiation'],
  [/pipelineName$/, 'Sales'],
  [/(opportunityName|noteTitle|taskSubject)$/, 'Lanterns for the new quay'],
  [/(Description|Content|memo)$/, 'Forty lanterns, to be delivered in two parts.'],
  [/(street1|address1)$/, '12 Quay Street'],
  [/(street2|address2)$/, 'Second floor'],
  [/city$/, 'Bristol'],
  [/(state|region)$/, 'Avon'],
  [/countrySubdivision$/, 'GB-BST'],
  [/country$/, 'United Kingdom'],
  [/(zipCode|postalCode)$/, 'BS1 4QS'],
  [/addressType$/, 'Billing'],
  [/trackingCategoryStatus$/, 'active'],
  [/Status$/, 'open'],
]

/** Consistent amounts: 2 lanterns at 25, a discount of 5, 4.90 for shipping, 20 % tax. */
const amounts: readonly (readonly [RegExp, string])[] = [
  [/^PurchaseOrderLineItem\.totalLineAmount$/, '60'],
  [/^PurchaseOrderLineItem\.taxAmount$/, '10'],
  [/LineItem\.totalAmount$/, '50'],
  [/^AccountingPurchaseOrder\.totalAmount$/, '60'],
  [/subTotal$/, '50'],
  [/totalAmount$|balance$/, '54'],
  [/totalDiscount$/, '5.00'],
  [/totalTaxAmount$|totalTax$/, '9.00'],
  [/totalShipping$/, '4.90'],
  [/totalPrice$/, '58.90'],
  [/TaxRate$/, '20'],
  [/exchangeRate$/, '1'],
  [/quantity$/, '2'],
  [/(purchasePrice|unitCost)$/, '11.00'],
  [/[pP]rice$/, '25.00'],
  [/qtyOnHand$|totalCount$/, '64'],
  [/fiscalYearEndMonth$/, '3'],
  [/fiscalYearEndDay$/, '31'],
  [/numberOfEmployees$/, '38'],
  [/displayOrder$/, '3'],
  [/probability$/, '60'],
  [/ProductVariantWeight\.value$/, '1.4'],
]

/** Codes that are consistent with the texts. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/currency$/, 'GBP'],
  [/country(Code)?$/, 'GB'],
  [/classification$/, 'REVENUE'],
  [/accountType$/, 'INCOME'],
  [/itemType$/, 'INVENTORY'],
]

const lists: readonly (readonly [RegExp, string])[] = [
  [/trackingNumbers$/, 'RM123456789GB'],
  [/(Urls|images)$/, 'https://harbour-light.example/1042'],
  [/tags$/, 'brass'],
]

const days: readonly (readonly [RegExp, string])[] = [
  [/dueDate$|closeDate$|deliveryDate$/i, '2026-04-01T00:00:00.000Z'],
  [/./, '2026-03-02T00:00:00.000Z'],
]

const pick = (
  table: readonly (readonly [RegExp, string])[],
  place: string,
  otherwise: string,
): string => table.find(([pattern]) => pattern.test(place))?.[1] ?? otherwise

const idOf = (target: string): string => recordId(CREDENTIAL_ID, target, REMOTE_ID)

/**
 * Whether the example is null: the bill is unpaid, the task open, and the record has no parent of its own
 * type.
 */
const isEmpty = (name: string, field: Field, resource: Resource): boolean =>
  /^(paidOnDate|completedDate)$/.test(name) ||
  (!field.kind.isList && field.kind.reference?.target === resource.topic)

/** The example source of a field. */
const sourceFor = (
  catalogue: Catalogue,
  resource: Resource,
  owner: string,
  name: string,
): ExampleSource => {
  const place = `${owner}.${name}`
  return {
    text: () => pick(words, place, inWords(name)),
    amount: (otherwise) => pick(amounts, place, otherwise),
    code: () => pick(codes, place, ''),
    entry: () => pick(lists, place, 'example'),
    day: () => pick(days, place, ''),
    reference: ({ target, embeds }) =>
      embeds === undefined
        ? idOf(target)
        : {
            id: idOf(target),
            remoteId: REMOTE_ID,
            ...exampleFields(catalogue, catalogue.get(target), embeds),
          },
    shape: (shape) => exampleShape(catalogue, resource, shape.name, shape.fields),
  }
}

const exampleValue = (
  catalogue: Catalogue,
  resource: Resource,
  owner: string,
  [name, field]: readonly [string, Field],
): unknown =>
  isEmpty(name, field, resource)
    ? null
    : field.kind.example(sourceFor(catalogue, resource, owner, name))

const exampleFields = (catalogue: Catalogue, resource: Resource, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(resource.allFields)
      .filter(([name]) => names.includes(name))
      .map((entry) => [entry[0], exampleValue(catalogue, resource, resource.typeName, entry)]),
  )

const exampleShape = (
  catalogue: Catalogue,
  resource: Resource,
  owner: string,
  fields: Fields,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).map((entry) => [
      entry[0],
      exampleValue(catalogue, resource, owner, entry),
    ]),
  )

/** An example filter value: the value in the example record, or else a plausible one. */
export const exampleFilter = (
  catalogue: Catalogue,
  resource: Resource,
  { field, definition, type }: FilterParameter,
): unknown => {
  const source = sourceFor(catalogue, resource, resource.typeName, field)
  const shown = exampleRecord(catalogue, resource)[field] ?? definition.kind.example(source)
  return type.example(shown)
}

/** The example record of a resource, as the API shows it. */
export const exampleRecord = (
  catalogue: Catalogue,
  resource: Resource,
): Readonly<Record<string, unknown>> => ({
  id: idOf(resource.topic),
  ...exampleFields(catalogue, resource, Object.keys(resource.allFields)),
  remoteDeleted: false,
})
