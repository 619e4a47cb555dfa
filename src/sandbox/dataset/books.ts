/** Initial accounting records: company, chart of accounts, parties and items. */
import { amount, sum, units } from '../amounts.ts'
import { generateClient, generateItem, generateVendor, itemNames } from '../generators/books.ts'
import {
  generateAddresses,
  generateCompanyNames,
  generatePhones,
  slug,
} from '../generators/contacts.ts'
import { cities } from '../generators/words.ts'
import type { Stored } from '../kinds/kinds.ts'
import { balanceSign, ledgerChange } from '../ledger.ts'
import { chart, RETAINED_EARNINGS } from './chart.ts'
import { type DatasetDraft, spread } from './draft.ts'

/** Company name of a tenant: `north-star` becomes `North Star`. */
export const titleOf = (tenant: string): string =>
  tenant
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

const draftCompany = (draft: DatasetDraft): void => {
  const random = draft.random('company')
  const title = titleOf(draft.tenant)
  const [dublin] = cities
  if (!dublin) throw new RangeError('The list of cities is empty.')
  draft.put(
    'companies',
    {
      trading_name: title,
      legal_name: `${title} Trading Limited`,
      vat_id: `IE${random.digits('#######')}TH`,
      fiscal_year_end: '12-31',
      base_currency: 'EUR',
      websites: [`https://www.${slug(title)}.example`, `https://shop.${slug(title)}.example`],
      addresses: generateAddresses(random, dublin).map((address) => ({
        ...address,
        line2: 'Second floor',
      })),
      phones: generatePhones(random, dublin),
    },
    draft.instant(900),
  )
}

const TAX_CODES = [
  ['Standard rate', '23', '23'],
  ['Reduced rate', '13.5', '13.5'],
  ['Second reduced rate', '9', '9'],
  ['Export, zero rate', '0', '0'],
  // The buyer owes the tax, so the rate is 23 % but nothing is charged.
  ['Reverse charge', '23', '0'],
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

const draftSettings = (draft: DatasetDraft): void => {
  const created = draft.instant(890)
  for (const [label, percent, effective] of TAX_CODES)
    draft.put(
      'tax_codes',
      { label, components: [{ label: `VAT ${percent} %`, percent }], effective_percent: effective },
      created,
    )
  for (const [name, dimension, parent] of COST_CENTERS)
    draft.put(
      'cost_centers',
      { name, dimension, parent, state: name === 'Berlin' ? 'archived' : 'active' },
      created,
    )
}

const draftChart = (draft: DatasetDraft): void => {
  const created = draft.instant(880)
  const accounts = chart.map(({ code, title, type, purpose, parent, opening }) => {
    const input = { code, title, type, purpose, parent, in_use: code !== '1030' }
    return {
      account: draft.put('ledger_accounts', input, created),
      opening: units(`${opening}000`),
    }
  })
  const debit = sum(
    accounts.map(({ account, opening }) => balanceSign(account.fields.section) * opening),
  )
  for (const { account, opening } of accounts) {
    const value = account.fields.code === RETAINED_EARNINGS ? debit : opening
    if (value !== 0) draft.revise(account, { balance: amount(value) }, created)
  }
}

/** Posts a new or changed document to the ledger. */
export const post = (draft: DatasetDraft, before: Stored | undefined, after: Stored): void => {
  for (const [id, value] of ledgerChange(before, after)) {
    const account = draft.get('ledger_accounts', id)
    const balance = units(account.fields.balance) + balanceSign(account.fields.section) * value
    draft.revise(account, { balance: amount(balance) }, after.modified)
  }
}

const draftParties = (draft: DatasetDraft): void => {
  const names = generateCompanyNames(draft.random('party names'), 65)
  for (const [index, daysAgo] of spread(25, 860, 200).entries())
    draft.put(
      'vendors',
      generateVendor(draft.random('vendors', index), names[index] ?? ''),
      draft.instant(daysAgo),
    )
  for (const [index, daysAgo] of spread(40, 860, 200).entries())
    draft.put(
      'clients',
      generateClient(draft.random('clients', index), names[25 + index] ?? ''),
      draft.instant(daysAgo),
    )
}

/** Adds the accounting records that documents depend on. */
export const draftBooks = (draft: DatasetDraft): void => {
  draftCompany(draft)
  draftSettings(draft)
  draftChart(draft)
  draftParties(draft)
  const accounts = {
    sales: 'acc_0021',
    services: 'acc_0022',
    purchases: 'acc_0023',
    stock: 'acc_0007',
  }
  for (const [index, name] of itemNames.entries())
    draft.put(
      'catalog_items',
      generateItem(draft.random('catalog_items', index), name, accounts),
      draft.instant(850 - index * 10),
    )
}
