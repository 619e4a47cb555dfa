/** A company: its records as the API shows them, and its settings. */
import type { Account } from '../engine/accounts.ts'
import type { Clock } from '../engine/clock.ts'
import { sum } from '../engine/decimal.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import type { Store } from '../engine/store.ts'

export interface CompanySettings {
  readonly homeCurrency: string
  readonly multiCurrency: boolean
}

/** Finds the record that has a name. The index is kept up to date with the records. */
export interface NameIndex {
  ownerOf(entity: string, name: string): string | undefined
}

export interface Company {
  readonly account: Account
  readonly store: Store
  readonly clock: Clock
  readonly settings: CompanySettings
  readonly names: NameIndex
  /** The id of the survivor by `entity id` of each merged record. */
  readonly mergedInto: Map<string, string>
  /** A record without the fields that result from other records. */
  stored(entity: string, id: string): JsonObject | undefined
  /** A record as the API shows it. */
  find(entity: string, id: string): JsonObject | undefined
  /** What `build` derives from all records of an entity; built again only after a change. */
  view<T>(entity: string, key: string, build: (records: readonly JsonObject[]) => T): T
}

/** The transactions that make up a name's balance: what is owed, and what was paid without a reference. */
const BALANCES: Readonly<Record<string, { owed: string; paid: string; reference: string }>> = {
  Customer: { owed: 'Invoice', paid: 'Payment', reference: 'CustomerRef' },
  Vendor: { owed: 'Bill', paid: 'BillPayment', reference: 'VendorRef' },
}

export const referenceId = (reference: unknown): string =>
  isJsonObject(reference) && typeof reference.value === 'string' ? reference.value : ''

export const amountOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The balances of customers or vendors by id. */
const balancesOf = (store: Store, entity: string): ReadonlyMap<string, number> => {
  const source = BALANCES[entity]
  if (source === undefined) return new Map()
  const { owed, paid, reference } = source
  return store.view([owed, paid], `balances of ${entity}`, (documents) => {
    const parts = new Map<string, number[]>()
    const add = (value: JsonObject, amount: number) => {
      const id = referenceId(value[reference])
      const found = parts.get(id) ?? []
      parts.set(id, found)
      found.push(amount)
    }
    for (const { value } of documents) add(value, amountOf(value.Balance))
    for (const { value } of store.list(paid)) add(value, -amountOf(value.UnappliedAmt))
    return new Map([...parts].map(([id, amounts]) => [id, sum(amounts)]))
  })
}

const uniqueName = ({ DisplayName, FullyQualifiedName }: JsonObject): string =>
  String(DisplayName ?? FullyQualifiedName ?? '').toLowerCase()

const indexNames = (store: Store): NameIndex => {
  const owners = new Map<string, string>()
  store.onChange(({ type, id, before, after }) => {
    if (before) owners.delete(`${type} ${uniqueName(before.value)}`)
    if (after) owners.set(`${type} ${uniqueName(after.value)}`, id)
  })
  return { ownerOf: (entity, name) => owners.get(`${entity} ${name.toLowerCase()}`) }
}

export const openCompany = (account: Account, clock: Clock, settings: CompanySettings): Company => {
  const { store } = account
  const withBalance = (entity: string, value: JsonObject): JsonObject => {
    if (BALANCES[entity] === undefined) return value
    const Balance = balancesOf(store, entity).get(String(value.Id)) ?? 0
    const jobs = entity === 'Customer' ? { BalanceWithJobs: Balance } : {}
    return { ...value, Balance, ...jobs }
  }
  const sourcesOf = (entity: string): readonly string[] => {
    const { owed, paid } = BALANCES[entity] ?? {}
    return [entity, ...[owed, paid].filter((name) => name !== undefined)]
  }
  const showAll = (entity: string): readonly JsonObject[] =>
    store.view(sourcesOf(entity), 'shown', (records) =>
      records.map(({ value }) => withBalance(entity, value)),
    )
  return {
    account,
    store,
    clock,
    settings,
    names: indexNames(store),
    mergedInto: new Map(),
    stored: (entity, id) => store.find(entity, id)?.value,
    find: (entity, id) => {
      const record = store.find(entity, id)
      return record && withBalance(entity, record.value)
    },
    view: (entity, key, build) => store.view(sourcesOf(entity), key, () => build(showAll(entity))),
  }
}
