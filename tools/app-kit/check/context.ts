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
  // Stored as JSON in between.
  const stored: unknown = JSON.parse(JSON.stringify(first))
  const second = await readContext(bench, definition)
  const isSame = isDeepStrictEqual(stored, JSON.parse(JSON.stringify(second)))
  const isJson = isDeepStrictEqual(stored, first)
  return {
    problems: [
      ...(isJson ? [] : ['the context is not plain JSON, so it changes when it is stored']),
      ...(isSame
        ? []
        : ['the context differs when it is read again: every resource would be listed']),
    ],
    summary: `${JSON.stringify(first).length} characters`,
  }
}
