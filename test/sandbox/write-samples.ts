/** Sample writes by topic: a record with few fields, and a change of every field. */
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { createDataset } from '../../src/sandbox/company/history.ts'
import { derivedName } from '../../src/sandbox/kinds/derived.ts'
import { derivedKinds } from '../../src/sandbox/kinds/kinds.ts'
import type { FieldValues } from './writing.ts'

export interface Sample {
  readonly create: FieldValues
  /** Fields that cannot be combined with the others. */
  readonly excluded?: readonly string[]
  readonly update: FieldValues
}

const postalAddress = (addressType: string): FieldValues => ({
  addressType,
  street1: '1 Quay',
  street2: 'Floor 2',
  city: 'Cork',
  state: 'Munster',
  countrySubdivision: 'IE-M',
  country: 'IE',
  zipCode: 'T12',
})

const place: FieldValues = {
  addressType: 'Workshop',
  street1: '1 Quay',
  city: 'Cork',
  state: 'Munster',
  country: 'Ireland',
}

const phones = ['PRIMARY', 'OTHER', 'MOBILE', 'FAX'].map((phoneNumberType, index) => ({
  phoneNumberType,
  phoneNumber: `+353 21 000${index}`,
}))

const emails = [
  { emailAddressType: 'work', emailAddress: 'a@quay.example' },
  { emailAddressType: 'Assistant', emailAddress: 'b@quay.example' },
]

const party: FieldValues = {
  email: 'post@quay.example',
  taxNumber: 'IE1234567A',
  currency: 'GBP',
  companyId: 'com_0001',
  addresses: [postalAddress('BILLING'), postalAddress('SHIPPING')],
  phoneNumbers: phones,
}

const line: FieldValues = {
  description: 'Desk',
  unitPrice: 99.5,
  quantity: 2.5,
  accountId: 'acc_0021',
}

const wholeLine: FieldValues = {
  ...line,
  currency: 'USD',
  accountingItemId: 'itm_0002',
  trackingCategoryIds: ['cc_0001', 'cc_0002'],
}

const paper: FieldValues = {
  memo: 'By hand',
  companyId: 'com_0001',
  currency: 'USD',
  exchangeRate: '0.915',
  trackingCategoryIds: ['cc_0002'],
}

const demand: FieldValues = {
  ...paper,
  issueDate: '2026-02-01',
  dueDate: '2026-02-28',
  lineItems: [{ ...wholeLine, exchangeRate: 0.915, companyId: 'com_0001' }],
  purchaseOrderIds: ['po_0001'],
}

const newDemand: FieldValues = { issueDate: '2026-01-01', dueDate: '2026-01-31', lineItems: [line] }

const orderAddress: FieldValues = {
  address1: '1 Quay',
  address2: 'Floor 2',
  city: 'Cork',
  countryCode: 'IE',
  firstName: 'Aoife',
  lastName: 'Byrne',
  phone: '+353 21 0000',
  region: 'Munster',
  postalCode: 'T12',
}

/** The topics whose records the sandbox has in a form of its own. */
const written: Readonly<Record<string, Sample>> = {
  'accounting/accounts': {
    create: { accountName: 'Petty cash', accountType: 'BANK' },
    update: {
      accountName: 'Till',
      accountDescription: 'Coins',
      accountStatus: 'INACTIVE',
      currency: 'GBP',
      accountNumber: '1099',
      parentAccountId: 'acc_0001',
      companyId: 'com_0001',
    },
  },
  'accounting/vendors': {
    create: { vendorName: 'Quay Ltd' },
    update: { ...party, vendorName: 'Quay plc', vendorStatus: 'ARCHIVED' },
  },
  'accounting/customers': {
    create: { customerName: 'Quay Ltd' },
    update: { ...party, customerName: 'Quay plc', customerStatus: 'ARCHIVED' },
  },
  'accounting/items': {
    create: { itemName: 'Desk' },
    update: {
      itemName: 'Tall desk',
      itemStatus: 'ARCHIVED',
      itemType: 'INVENTORY',
      unitPrice: '250.50',
      purchasePrice: '120.00',
      qtyOnHand: '12.5',
      billAccountId: 'acc_0021',
      invoiceAccountId: 'acc_0022',
      assetAccountId: 'acc_0005',
      companyId: 'com_0001',
    },
  },
  'accounting/bills': {
    create: { ...newDemand, vendorId: 'ven_0001' },
    update: { ...demand, vendorId: 'ven_0002', billNumber: 'Q-1' },
  },
  'accounting/invoices': {
    create: { ...newDemand, customerId: 'cli_0001' },
    update: { ...demand, customerId: 'cli_0002', invoiceNumber: 'Q-1' },
  },
  'accounting/purchaseOrders': {
    create: { vendorId: 'ven_0001', issueDate: '2026-01-01', lineItems: [line] },
    update: {
      ...paper,
      purchaseOrderStatus: 'sent',
      purchaseOrderNumber: 'Q-1',
      issueDate: '2026-02-01',
      deliveryDate: '2026-03-01',
      deliveryAddress: postalAddress('SHIPPING'),
      vendorId: 'ven_0002',
      accountId: 'acc_0021',
      lineItems: [wholeLine],
    },
  },
  'accounting/payments': {
    create: {
      transactionDate: '2026-01-05',
      customerId: 'cli_0001',
      accountId: 'acc_0002',
      currency: 'USD',
      exchangeRate: '0.9',
      totalAmount: '10.00',
    },
    excluded: ['vendorId'],
    update: {
      transactionDate: '2026-02-05',
      customerId: 'cli_0002',
      accountId: 'acc_0001',
      currency: 'GBP',
      exchangeRate: '0.8',
      totalAmount: '20.00',
      companyId: 'com_0001',
      trackingCategoryIds: ['cc_0001'],
    },
  },
  'crm/accounts': {
    create: { accountName: 'Quay' },
    update: {
      accountName: 'Quays',
      accountOwner: 'Aoife Byrne',
      description: 'By the water',
      industry: 'Boats',
      website: 'https://quay.example/',
      numberOfEmployees: 12,
      lastActivityAt: '2026-02-03T04:05:06.789Z',
      addresses: [{ ...place, postalCode: 'T12' }],
      phoneNumbers: phones,
    },
  },
  'crm/contacts': {
    create: { lastName: 'Byrne' },
    update: {
      firstName: 'Aoife',
      lastName: 'Burke',
      account: 'org_0001',
      addresses: [{ ...place, street2: 'Rear', countrySubdivision: 'IE-M', postalCode: 'T12' }],
      emailAddresses: emails,
      phoneNumbers: phones,
      lastActivityAt: '2026-02-03T04:05:06.789Z',
    },
  },
  'crm/leads': {
    create: { lastName: 'Byrne' },
    update: {
      leadOwner: 'Aoife Byrne',
      leadSource: 'Fair',
      leadTitle: 'Founder',
      company: 'Quay',
      firstName: 'Aoife',
      lastName: 'Burke',
      addresses: [place],
      emailAddresses: emails,
      phoneNumbers: phones,
    },
  },
  'crm/opportunities': {
    create: { opportunityName: 'Boats' },
    update: {
      opportunityName: 'Ten boats',
      opportunityDescription: 'Red ones',
      currency: 'USD',
      amount: '12000.50',
      opportunityOwner: 'mem_0002',
      opportunityAccount: 'org_0002',
      opportunityStage: 'stg_0003',
      closeDate: '2026-05-06',
      lastActivityAt: '2026-02-03T04:05:06.789Z',
    },
  },
  'crm/notes': {
    create: { noteContent: 'Called.' },
    update: {
      noteOwner: 'mem_0001',
      noteTitle: 'Call',
      noteContent: 'Called back.',
      noteContact: 'per_0001',
      noteAccount: 'org_0001',
      noteOpportunity: 'dea_0001',
    },
  },
  'crm/tasks': {
    create: { taskSubject: 'Call' },
    update: {
      taskSubject: 'Call back',
      taskContent: 'About the boats',
      taskOwner: 'mem_0001',
      taskOpportunity: 'dea_0001',
      taskStatus: 'doing',
      dueDate: '2026-04-01',
    },
  },
  'commerce/customers': {
    create: { email: 'a@quay.example' },
    update: { firstName: 'Aoife', lastName: 'Byrne', email: 'b@quay.example', phone: '+353 21 1' },
  },
  'commerce/products': {
    create: { productName: 'Lamp', variants: [{ title: 'Red', price: '20.00' }] },
    update: {
      productName: 'Tall lamp',
      description: '<p>Tall</p>',
      productType: 'Lighting',
      productStatus: 'live',
      images: ['https://quay.example/lamp.jpg'],
      tags: ['tall', 'red'],
      vendor: 'Quay',
      productUrl: 'https://quay.example/lamp',
      variants: [
        {
          title: 'Red',
          price: '25.50',
          sku: 'LAMP-R',
          optionValues: [{ name: 'Colour', value: 'Red' }],
          inventory: { totalCount: 7 },
          weight: { value: 812.5, unit: 'g' },
        },
        { title: 'Blue', price: '26.00' },
      ],
    },
  },
  'commerce/orders': {
    create: { lineItems: [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 1 }] },
    update: {
      orderNumber: 'Q-1',
      orderStatus: 'processing',
      fulfillmentStatus: 'partial',
      paymentStatus: 'paid',
      currency: 'GBP',
      totalPrice: '99.99',
      totalDiscount: '1.00',
      totalShipping: '4.50',
      totalTax: '7.77',
      lineItems: [
        {
          productId: 'prd_0001',
          variantId: 'var_0001',
          title: 'As engraved',
          price: '45.00',
          unitCost: '12.30',
          currency: 'GBP',
          sku: 'ENGRAVED',
          quantity: 2,
        },
      ],
      billingAddress: orderAddress,
      shippingAddress: { ...orderAddress, address1: '2 Quay' },
      customer: {
        customerId: 'sho_0001',
        firstName: 'Aoife',
        lastName: 'Byrne',
        email: 'a@quay.example',
        phone: '+353 21 2',
      },
    },
  },
  'commerce/fulfillments': {
    create: { orderId: 'ord_0001', lineItems: [] },
    update: {
      carrier: 'Quay Post',
      service: 'By boat',
      trackingNumbers: ['Q1', 'Q2'],
      trackingUrls: ['https://quay.example/Q1', 'https://quay.example/Q2'],
    },
  },
}

/** The records of a derived collection have the unified fields, so two initial records serve as samples. */
const deriveSample = (kind: string, { fields }: Resource): Sample => {
  const records = dataset.records.filter((record) => record.kind === kind)
  const valuesOf = (index: number, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, Object(records.at(index)?.fields)[derivedName(name)]]),
    )
  const names = Object.keys(fields)
  return {
    create: valuesOf(
      0,
      names.filter((name) => fields[name]?.required),
    ),
    update: valuesOf(-1, names),
  }
}

const dataset = await createDataset({ tenant: 'acme', seed: 1, start: '2026-03-02T12:00:00.000Z' })

/** Every topic that the sandbox can write. */
export const samples: Readonly<Record<string, Sample>> = {
  ...written,
  ...Object.fromEntries(
    [...derivedKinds]
      .map(([topic, kind]) => [catalogue.get(topic), kind] as const)
      .filter(([{ verbs }]) => verbs.includes('update'))
      .map(([resource, kind]) => [resource.topic, deriveSample(kind, resource)]),
  ),
}
