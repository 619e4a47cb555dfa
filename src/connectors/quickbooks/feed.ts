/** Change data capture: the changes of all entities in one request (NOTES "changes"). */
import type { AppResponse } from '../../definition/connector.ts'
import type { ChangeFeed, FeedChange } from '../../definition/feed.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { entriesOf, valuesAt, valuesOf } from '../../definition/raw-values.ts'
import { isoTimestamp, shiftInstant } from '../../definition/time.ts'
import { selectCompanyInfo } from './company.ts'
import { listedAs, remoteIdOf } from './entity.ts'
import { type Reported, reported, topicsOf } from './reported.ts'

const MAX_OBJECTS = 1000 // of one response, all entities together

// A change may appear later than its time: times have seconds, and transactions last.
const OVERLAP_MS = 60_000

const entities = reported.map(({ entity }) => entity.name).join(',')

/** The start of the next poll: the time of the response, by QuickBooks's clock, and the overlap. */
const tokenOf = ({ body }: AppResponse): string => {
  const time = isoTimestamp(valuesOf(body).time)
  if (time === undefined) throw new Error('The response has no time.')
  return shiftInstant(time, -OVERLAP_MS)
}

const changesOf = ({ entity, topic }: Reported, records: unknown): readonly FeedChange[] =>
  entriesOf(records).flatMap((values): FeedChange[] => {
    const name = { topic, remoteId: remoteIdOf(entity, values.Id) }
    if (values.status === 'Deleted') return [{ ...name, kind: 'deleted' }]
    return listedAs(entity, values).map((record) => ({ ...name, kind: 'changed', record }))
  })

export const changes: ChangeFeed = {
  topics: topicsOf(reported),
  request: ({ token }) =>
    token === undefined
      ? selectCompanyInfo
      : {
          method: 'GET',
          path: withQuery('/cdc', { entities, changedSince: String(token) }),
        },
  read: (response, { token }) => {
    const { body } = response
    const end = { next: undefined, token: tokenOf(response) }
    if (token === undefined) return { ...end, changes: [] }
    if (!Array.isArray(valuesOf(body).CDCResponse))
      throw new Error('The response has no CDCResponse.')
    const results = entriesOf(valuesAt(body, 'CDCResponse.QueryResponse').flat())
    if (results.some(({ Fault }) => Fault !== undefined))
      throw new Error('The response leaves out the changes of an entity.')
    const lists = reported.map((one) => results.flatMap((result) => result[one.entity.name] ?? []))
    const count = lists.flat().length
    return {
      ...end,
      changes: reported.flatMap((one, index) => changesOf(one, lists[index])),
      incomplete: count < MAX_OBJECTS ? [] : topicsOf(reported),
    }
  },
}
