/** The vendor's customers: companies, portals or shops, each with records of its own. */
import type { Clock } from './clock.ts'
import { createStore, type Store } from './store.ts'

export interface Account {
  readonly id: string
  readonly name: string
  readonly store: Store
}

export interface Accounts {
  /** @throws if the id exists */
  add(id: string, name: string): Account
  find(id: string): Account | undefined
  list(): readonly Account[]
}

export const createAccounts = (clock: Clock, onAdd: (account: Account) => void): Accounts => {
  const accounts = new Map<string, Account>()
  return {
    add: (id, name) => {
      if (accounts.has(id)) throw new Error(`The account ${id} exists already`)
      const account = { id, name, store: createStore(clock) }
      accounts.set(id, account)
      onAdd(account)
      return account
    },
    find: (id) => accounts.get(id),
    list: () => [...accounts.values()],
  }
}
