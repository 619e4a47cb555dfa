/** Runs work with nested transactions in one outer transaction. */
import type { PrismaClient } from '@prisma/client'
import type { Database, Transaction } from './database.ts'

/** Wraps a transaction as a client. Transactions that are started on it become savepoints. */
const bind = (transaction: Transaction): PrismaClient => {
  let savepoints = 0
  const nested = async <Result>(
    work: (savepoint: Transaction) => Promise<Result>,
  ): Promise<Result> => {
    const name = `part_${++savepoints}`
    await transaction.$executeRawUnsafe(`SAVEPOINT ${name}`)
    try {
      const result = await work(transaction)
      await transaction.$executeRawUnsafe(`RELEASE SAVEPOINT ${name}`)
      return result
    } catch (error) {
      // After an error, PostgreSQL rejects further statements until the transaction rolls back to a savepoint.
      await transaction.$executeRawUnsafe(`ROLLBACK TO SAVEPOINT ${name}`)
      throw error
    }
  }
  // A transaction client lacks only the connection methods and `$transaction`, which the store always calls
  // with a function.
  return new Proxy(transaction, {
    get: (target, name) => (name === '$transaction' ? nested : Reflect.get(target, name)),
  }) as unknown as PrismaClient
}

/** Runs `work` in one transaction: either all of its writes are committed or none. */
export const inOneTransaction = <Result>(
  database: Database,
  work: (bound: Database) => Promise<Result>,
): Promise<Result> =>
  database.prisma.$transaction((transaction) => work({ ...database, prisma: bind(transaction) }))
