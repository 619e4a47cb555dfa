/** The page types of lists: nodes, edges, page info and total count. */
import type { Resource } from '../../definition/resource.ts'
import type { RecordPage } from '../../store/records/records.ts'
import type { Builder } from './builder.ts'
import { type GraphRecord, parseRecord } from './loaders.ts'

interface GraphEdge {
  readonly node: GraphRecord
  readonly text: string
  readonly page: RecordPage
}

/** The source value of a page type. `count` runs only if `totalCount` is selected. */
export interface GraphPage {
  readonly page: RecordPage
  readonly nodes: readonly GraphRecord[]
  readonly count: () => Promise<number>
  /** The oldest sync of its credentials; null: none has completed, or the list did not request it. */
  readonly syncedAt: Date | null
}

export const toGraphPage = (
  page: RecordPage,
  count: () => Promise<number>,
  syncedAt: Date | null = null,
): GraphPage => ({
  page,
  nodes: page.records.map(parseRecord),
  count,
  syncedAt,
})

export const createPageTypes = (builder: Builder) => {
  const pageInfo = builder.objectRef<RecordPage>('PageInfo').implement({
    description: 'The position of a page in its list (Relay cursor connections).',
    fields: (t) => ({
      hasNextPage: t.boolean({
        nullable: false,
        description: 'Whether records follow this page.',
        resolve: ({ hasNext }) => hasNext,
      }),
      hasPreviousPage: t.boolean({
        nullable: false,
        description: 'Whether records precede this page.',
        resolve: ({ hasPrevious }) => hasPrevious,
      }),
      startCursor: t.string({
        description: 'The cursor of the first record, for `before`; null on an empty page.',
        resolve: ({ records, cursorOf }) =>
          records[0] === undefined ? null : cursorOf(records[0]),
      }),
      endCursor: t.string({
        description: 'The cursor of the last record, for `after`; null on an empty page.',
        resolve: ({ records, cursorOf }) => {
          const last = records.at(-1)
          return last === undefined ? null : cursorOf(last)
        },
      }),
    }),
  })
  return (resource: Resource, record: ReturnType<typeof builder.objectRef<GraphRecord>>) => {
    const edge = builder.objectRef<GraphEdge>(`${resource.typeName}Edge`).implement({
      description: `One of the ${resource.plural} of a page, with its cursor.`,
      fields: (t) => ({
        cursor: t.string({
          nullable: false,
          description: 'The position of the record in the list, for `after` and `before`.',
          resolve: ({ page, text }) => page.cursorOf(text),
        }),
        node: t.field({
          type: record,
          nullable: false,
          description: 'The record.',
          resolve: ({ node }) => node,
        }),
      }),
    })
    return builder.objectRef<GraphPage>(`${resource.typeName}Page`).implement({
      description: `One page of ${resource.plural}.`,
      fields: (t) => ({
        nodes: t.field({
          type: [record],
          nullable: false,
          description: 'The records of the page.',
          resolve: ({ nodes }) => nodes,
        }),
        edges: t.field({
          type: [edge],
          nullable: false,
          description: 'The records of the page, each with its cursor.',
          resolve: ({ page, nodes }) =>
            nodes.flatMap((node, index) => {
              const text = page.records[index]
              return text === undefined ? [] : [{ node, text, page }]
            }),
        }),
        pageInfo: t.field({
          type: pageInfo,
          nullable: false,
          description: 'The position of the page in the list.',
          resolve: ({ page }) => page,
        }),
        totalCount: t.int({
          nullable: false,
          description:
            'The number of records that match the filter, on all pages. Counted only if selected.',
          resolve: ({ count }) => count(),
        }),
        syncedAt: t.field({
          type: 'DateTime',
          description:
            'What had changed in the app by this time is on the page: the start of the last completed sync, of several credentials the oldest. Null without maxStalenessSeconds, and if no sync has completed.',
          resolve: ({ syncedAt }) => syncedAt?.toISOString() ?? null,
        }),
      }),
    })
  }
}
