/**
 * Long texts as parameters of statements. Prisma would serialize and parse each parameter as JSON, which takes 5 ms for
 * a megabyte. It receives a short name instead, which the connection replaces by the text.
 */
import { randomUUID } from 'node:crypto'
import type { PrismaPg } from '@prisma/adapter-pg'

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>
type Queryable = Pick<Adapter, 'queryRaw'>

const texts = new Map<unknown, string>()

/** Runs a `$queryRaw` statement with a long text; `name` is the parameter that stands for it. */
export const withLongText = async <Result>(
  text: string,
  run: (name: string) => Promise<Result>,
): Promise<Result> => {
  const name = randomUUID()
  texts.set(name, text)
  try {
    return await run(name)
  } finally {
    texts.delete(name)
  }
}

const withTexts = <Q extends Queryable>(queryable: Q): Q => {
  const queryRaw = queryable.queryRaw.bind(queryable)
  return Object.assign(queryable, {
    queryRaw: (query) =>
      queryRaw(
        texts.size === 0
          ? query
          : { ...query, args: query.args.map((value) => texts.get(value) ?? value) },
      ),
  } satisfies Queryable)
}

/** The same adapter, whose statements accept the names of long texts. */
export const acceptLongTexts = (factory: PrismaPg): PrismaPg => {
  const connect = factory.connect.bind(factory)
  return Object.assign(factory, {
    connect: async () => {
      const adapter = withTexts(await connect())
      const startTransaction = adapter.startTransaction.bind(adapter)
      return Object.assign(adapter, {
        startTransaction: async (...options: Parameters<Adapter['startTransaction']>) =>
          withTexts(await startTransaction(...options)),
      })
    },
  })
}
