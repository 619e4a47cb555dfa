/** The company, its chart of accounts, the parties it trades with and its catalogue. */
import { amount, cents, sum } from '../amounts.ts'
import { inventClient, inventItem, inventVendor, itemNames } from '../invent/books.ts'
import { inventAddresses, inventCompanyNames, inventPhones, slug } from '../invent/contacts.ts'
import { cities } from '../invent/words.ts'
import type { Stored } from '../kinds/kinds.ts'
import { balanceSign, ledgerChange } from '../ledger.ts'
import { chart, RETAINED_EARNINGS } from './chart.ts'
import { type Draft, spread } from './draft.ts'

/** `North Star` of `north-star`. */
export const titleOf = (tenant: string): string =>
  tenant
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

const draftCompany = (draft: Draft): void => {
  const dice = draft.dice('company')
  const title = titleOf(draft.tenant)
  const [dublin] = cities
  if (!dublin) throw new RangeError('There is no city.')
  draft.put(
    'companies',
    {
      trading_name: title,
      legal_name: `${title} Trading Limited`,
      vat_id: `IE${dice.digits('#######')}TH`,
      fiscal_year_end: '12-31',
      base_currency: 'EUR',
      websites: [`https://www.${slug(title)}.example`, `https://shop.${slug(title)}.example`],
      addresses: inventAddresses(dice, dublin).map((address) => ({
        ...address,
        line2: 'Second floor',
      })),
      phones: inventPhones(dice, dublin),
    },
    draft.instant(900),
  )
}

const TAX_CODES = [
  ['Standard rate', '23', '23'],
  ['Reduced rate', '13.5', '13.5'],
  ['Second reduced rate', '9', '9'],
  ['Export, zero rate', '0', '0'],
  // The buyer owes the tax: it has a rate, and nothing is charged.
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

const draftSettings = (draft: Draft): void => {
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

const draftChart = (draft: Draft): void => {
  const created = draft.instant(880)
  const accounts = chart.map(({ code, title, type, purpose, parent, opening }) => {
    const given = { code, title, type, purpose, parent, in_use: code !== '1030' }
    return { account: draft.put('ledger_accounts', given, created), opening: opening * 100_000 }
  })
  const debit = sum(
    accounts.map(({ account, opening }) => balanceSign(account.fields.section) * opening),
  )
  for (const { account, opening } of accounts) {
    const value = account.fields.code === RETAINED_EARNINGS ? debit : opening
    if (value !== 0) draft.revise(account, { balance: amount(value) }, created)
  }
}

/** Carries a new or changed paper into the ledger. */
export const post = (draft: Draft, before: Stored | undefined, after: Stored): void => {
  for (const [id, value] of ledgerChange(before, after)) {
    const account = draft.get('ledger_accounts', id)
    const balance = cents(account.fields.balance) + balanceSign(account.fields.section) * value
    draft.revise(account, { balance: amount(balance) }, after.modified)
  }
}

const draftParties = (draft: Draft): void => {
  const names = inventCompanyNames(draft.dice('party names'), 65)
  for (const [index, daysAgo] of spread(25, 860, 200).entries())
    draft.put(
      'vendors',
      inventVendor(draft.dice('vendors', index), names[index] ?? ''),
      draft.instant(daysAgo),
    )
  for (const [index, daysAgo] of spread(40, 860, 200).entries())
    draft.put(
      'clients',
      inventClient(draft.dice('clients', index), names[25 + index] ?? ''),
      draft.instant(daysAgo),
    )
}

/** The books before any paper is in them. */
export const draftBooks = (draft: Draft): void => {
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
      inventItem(draft.dice('catalog_items', index), name, accounts),
      draft.instant(850 - index * 10),
    )
}
