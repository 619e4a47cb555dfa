/** Runs the steps of a write against planned responses. */
import { expect } from 'vitest'
import type { AppRequest, Json, Steps, StoredRecord } from '../../../src/definition/connector.ts'
import { ATTEMPT as ANY_ATTEMPT, driveSteps } from '../../support/steps.ts'
import { CONTEXT, findResource, responseWith } from './fixtures.ts'

/** What a function throws. */
export const catchError = (perform: () => unknown): unknown => {
  try {
    return perform()
  } catch (error) {
    return error
  }
}

/** The operation of a request: its first root field and its variables. */
const requestOf = ({ body }: AppRequest) => {
  // Every request of the connector has such a body.
  const { query, variables } = body as {
    query: string
    variables: { readonly [name: string]: Json }
  }
  const [, root = ''] = /^[^{]*\{\s*(\w+)/.exec(query) ?? []
  return { root, variables }
}

/** Runs steps against one response per request: data, or an error to throw. */
export const runSteps = async (
  steps: Steps<unknown> | undefined,
  responses: readonly (object | Error)[],
) => {
  if (!steps) throw new Error('the connector has no such operation')
  const requests: AppRequest[] = []
  const remaining = [...responses]
  const result = await driveSteps(steps, (request) => {
    requests.push(request)
    const plannedResponse = remaining.shift()
    if (!plannedResponse) throw new Error(`no response is planned for ${requestOf(request).root}`)
    if (plannedResponse instanceof Error) throw plannedResponse
    return responseWith(plannedResponse)
  }).catch((error: unknown) => error)
  expect(remaining).toEqual([])
  return { result, requests, calls: requests.map(requestOf) }
}

export const writerOf = (name: string) => {
  const { write } = findResource(name)
  if (!write) throw new Error(`the connector does not write ${name}`)
  return write
}

/** The product of a variant, as Vendure returns it. */
export interface RawVariant {
  readonly productId: string
}

export const ATTEMPT = { ...ANY_ATTEMPT, context: CONTEXT }
/** A record that only the store has. */
export const storedRecord = (
  remoteId: string,
  record: StoredRecord['record'] = {},
): StoredRecord => ({
  remoteId,
  record,
})
/** A record as the guard has read it. */
export const recordReadByGuard = (raw: { readonly id: string }): StoredRecord => ({
  ...storedRecord(raw.id),
  raw,
})
