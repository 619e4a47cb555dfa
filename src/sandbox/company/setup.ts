/** How the company starts: its own data, tax codes, cost centers, chart of accounts, team and pipeline. */
import { amount, units } from '../amounts.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { chart } from './chart.ts'
import { mailOf, pickSubject, sampleOf, slug } from './samples.ts'
import { cities, team } from './words.ts'

const TAX_CODES = [
  ['Standard rate', 23, 23],
  ['Reduced rate', 13.5, 13.5],
  ['Second reduced rate', 9, 9],
  ['Export, zero rate', 0, 0],
  // The buyer owes the tax, so the rate is 23 % but nothing is charged.
  ['Reverse charge', 23, 0],
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

const STAGES = [
  ['Qualified', 10],
  ['Meeting held', 25],
  ['Quote sent', 50],
  ['Negotiation', 75],
  ['Won', 100],
  ['Lost', 0],
] as const

const openChart = async (workspace: Workspace): Promise<void> => {
  for (const [accountNumber, accountName, accountType, accountDescription, ...more] of chart) {
    const [opening = 0, parentAccountId = null] = more
    const account = await workspace.create('ledger_accounts', {
      accountNumber,
      accountName,
      accountType,
      accountDescription,
      accountStatus: accountName === 'Petty cash' ? 'INACTIVE' : 'ACTIVE',
      parentAccountId,
    })
    workspace.revise(account, { currentBalance: amount(units(`${opening}000`)) })
  }
}

/** Company name of a tenant: `north-star` becomes `North Star`. */
const titleOf = (tenant: string): string =>
  tenant
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

/** Creates the records that everything else depends on. */
export const setUp = async (
  workspace: Workspace,
  random: Random,
  tenant: string,
): Promise<void> => {
  const company = titleOf(tenant)
  const subject = pickSubject(random, { company, city: random.pick(cities.slice(0, 1)) })
  await workspace.create('companies', {
    ...(await sampleOf('companies', workspace, random, subject)),
    companyName: company,
    companyLegalName: `${company} Trading Limited`,
    taxNumber: random.digits('IE#######TH'),
    fiscalYearEndMonth: 12,
    fiscalYearEndDay: 31,
    companyUrls: [`https://www.${slug(company)}.example`, `https://shop.${slug(company)}.example`],
  })
  for (const [description, totalTaxRate, effectiveTaxRate] of TAX_CODES)
    await workspace.create('tax_codes', { description, totalTaxRate, effectiveTaxRate })
  for (const [name, type, parentCategoryId] of COST_CENTERS)
    await workspace.create('cost_centers', {
      trackingCategoryName: name,
      trackingCategoryType: type,
      trackingCategoryStatus: name === 'Berlin' ? 'archived' : 'active',
      parentCategoryId,
    })
  await openChart(workspace)
  for (const [index, name] of team.entries()) {
    const [firstName = '', lastName = ''] = name.split(' ')
    const email = mailOf({ firstName, lastName, company })
    await workspace.create('members', { name, email, isActive: index !== 6 })
  }
  for (const [index, [stageName, probability]] of STAGES.entries())
    await workspace.create('deal_stages', {
      stageName,
      pipelineName: 'Sales',
      displayOrder: index + 1,
      probability,
    })
}
