/** Work on the database that is done as a whole, whatever transactions of its own it has. */
import type { PrismaClient } from '@prisma/client'
import type { Database, Transaction } from './database.ts'

/** A transaction in the place of the whole client: one that is begun in it is a part of it. */
const bind = (transaction: Transaction): PrismaClient => {
  let parts = 0
  const nested = async <Result>(work: (part: Transaction) => Promise<Result>): Promise<Result> => {
    const name = `part_${++parts}`
    await transaction.$executeRawUnsafe(`SAVEPOINT ${name}`)
    try {
      const result = await work(transaction)
      await transaction.$executeRawUnsafe(`RELEASE SAVEPOINT ${name}`)
      return result
    } catch (error) {
      // PostgreSQL takes nothing more after a failure until it has gone back to before it.
      await transaction.$executeRawUnsafe(`ROLLBACK TO SAVEPOINT ${name}`)
      throw error
    }
  }
  // A transaction's client has all that the whole one has, but for what opens and closes that one and
  // `$transaction`, which this store calls with a function alone.
  return new Proxy(transaction, {
    get: (target, name) => (name === '$transaction' ? nested : Reflect.get(target, name)),
  }) as unknown as PrismaClient
}

/** Does `work` in one transaction: all of it is there afterwards, or nothing. */
export const inOneTransaction = <Result>(
  database: Database,
  work: (bound: Database) => Promise<Result>,
): Promise<Result> =>
  database.prisma.$transaction((transaction) => work({ ...database, prisma: bind(transaction) }))
