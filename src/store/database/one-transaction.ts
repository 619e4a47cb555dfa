/** Runs work with nested transactions in one outer transaction. */
import type { Database, Transaction } from './database.ts'

/** Creates the function that runs nested transactions as savepoints of a transaction. */
const nestIn = (transaction: Transaction): Database['transaction'] => {
  const { prisma } = transaction
  let savepoints = 0
  return async (work) => {
    const name = `part_${++savepoints}`
    await prisma.$executeRawUnsafe(`SAVEPOINT ${name}`)
    try {
      const result = await work(transaction)
      await prisma.$executeRawUnsafe(`RELEASE SAVEPOINT ${name}`)
      return result
    } catch (error) {
      // After an error, PostgreSQL rejects further statements until the transaction rolls back to a savepoint.
      await prisma.$executeRawUnsafe(`ROLLBACK TO SAVEPOINT ${name}`)
      throw error
    }
  }
}

/** Runs `work` in one transaction: either all of its writes are committed or none. */
export const inOneTransaction = <Result>(
  database: Database,
  work: (bound: Database) => Promise<Result>,
): Promise<Result> =>
  database.transaction((transaction) =>
    work({ ...database, prisma: transaction.prisma, transaction: nestIn(transaction) }),
  )
