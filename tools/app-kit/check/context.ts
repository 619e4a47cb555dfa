/** Checks the context of the account. */
import { isDeepStrictEqual } from 'node:util'
import { readContext } from '../../../src/write/account-context.ts'
import type { Findings } from './result.ts'
import type { Workbench } from './workbench.ts'

/** The context is the same when it is read again; undefined: the connector declares none. */
export const checkContext = async (bench: Workbench): Promise<Findings | undefined> => {
  const { context: definition } = bench.connector
  if (!definition) return
  const first = await bench.context()
  const isSame = isDeepStrictEqual(first, await readContext(bench, definition))
  return {
    problems: isSame ? [] : ['it differs when it is read again, so everything would be listed'],
    summary: `${JSON.stringify(first).length} characters`,
  }
}
