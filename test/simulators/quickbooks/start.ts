/** A QuickBooks Online simulator with its controls. */
import type { Account } from '../engine/accounts.ts'
import type { Clock } from '../engine/clock.ts'
import type { JsonObject } from '../engine/json.ts'
import { type ListeningSimulator, listen } from '../engine/listen.ts'
import { createSimulator, type Simulator } from '../engine/simulator.ts'
import type { StartOptions } from '../serve.ts'
import { type Company, type CompanySettings, openCompany } from './company.ts'
import type { Operation } from './entities.ts'
import { mergeRecords } from './merges.ts'
import { fillNewCompany } from './new-company.ts'
import { createProfile, type QuickBooksOptions } from './profile.ts'
import { addSampleRecords } from './sample-records.ts'
import { write } from './writes.ts'

/** A company as its own users see it: their changes need no token and count against no limit. */
export interface CompanyControls {
  readonly id: string
  create(entity: string, value: JsonObject): JsonObject
  /** Changes these fields of a record. */
  update(entity: string, id: string, fields: JsonObject): JsonObject
  delete(entity: string, id: string): void
  void(entity: string, id: string): JsonObject
  /** Merges the first customer, vendor or item into the second. */
  merge(entity: string, from: string, into: string): void
  find(entity: string, id: string): JsonObject | undefined
  list(entity: string): readonly JsonObject[]
  /** Adds `count` customers, vendors, items, invoices and bills each, and payments for some of them. */
  addSamples(count: number): void
}

export interface QuickBooks {
  addCompany(id: string, name: string, settings?: Partial<CompanySettings>): CompanyControls
}

export interface QuickBooksStartOptions
  extends StartOptions,
    Partial<Pick<QuickBooksOptions, 'webhookFormat' | 'limitedBy'>> {}

const controlsOf = (company: Company): CompanyControls => {
  const change = (operation: Operation, entity: string, id: string, fields: JsonObject = {}) => {
    const SyncToken = company.stored(entity, id)?.SyncToken
    return write(company, operation, entity, { ...fields, sparse: true, Id: id, SyncToken })
  }
  return {
    id: company.account.id,
    create: (entity, value) => write(company, 'create', entity, value),
    update: (entity, id, fields) => change('update', entity, id, fields),
    delete: (entity, id) => void change('delete', entity, id),
    void: (entity, id) => change('void', entity, id),
    merge: (entity, from, into) => mergeRecords(company, entity, from, into),
    find: company.find,
    list: (entity) => company.view(entity, 'all', (records) => records),
    addSamples: (count) => addSampleRecords(company, count),
  }
}

/** A simulator without a socket and without companies. */
export const createQuickBooks = ({
  webhookFormat = 'events',
  limitedBy = 'response',
  ...options
}: QuickBooksStartOptions = {}): Simulator & QuickBooks => {
  const companies = new Map<string, Company>()
  const companyOf = ({ id }: Account): Company => {
    const company = companies.get(id)
    if (!company) throw new Error(`Add the company ${id} with addCompany`)
    return company
  }
  const profile = createProfile({ companyOf, webhookFormat, limitedBy })
  const simulator = createSimulator(profile, options)
  const clock: Clock = simulator.clock

  const addCompany: QuickBooks['addCompany'] = (id, name, settings = {}) => {
    const account = simulator.accounts.add(id, name)
    const all = { homeCurrency: 'USD', multiCurrency: false, ...settings }
    const company = openCompany(account, clock, all)
    companies.set(id, company)
    fillNewCompany(company)
    return controlsOf(company)
  }
  return { ...simulator, addCompany }
}

const DAY_MS = 86_400_000

/** Starts a simulator with one company, `9130347596842384`, which has existed for a day. */
export const start = async (
  options: QuickBooksStartOptions = {},
): Promise<ListeningSimulator & QuickBooks> => {
  const simulator = createQuickBooks(options)
  simulator.clock.advance(-DAY_MS)
  const company = simulator.addCompany('9130347596842384', 'Acme Gardens')
  company.addSamples(options.records ?? 0)
  simulator.clock.advance(DAY_MS)
  return { ...(await listen(simulator, options)), addCompany: simulator.addCompany }
}
