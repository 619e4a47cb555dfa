/** The connection types of lists: nodes, edges, page info and total count (Relay cursor connections). */
import type { FieldMap, ObjectFieldBuilder, OutputType } from '@pothos/core'
import type { Listed } from '../../query/listed.ts'
import type { RecordPage } from '../../store/records/records.ts'
import type { Builder } from './builder.ts'
import { type GraphRecord, parseRecord } from './loaders.ts'

type Types = Builder['$inferSchemaTypes']

interface Edge {
  readonly list: Listed<unknown>
  readonly index: number
}

/** A page of records. */
export interface RecordList extends Listed<GraphRecord> {
  /** The oldest sync of its credentials; null: none has completed, or the list did not request it. */
  readonly syncedAt: Date | null
}

export const toRecordList = (
  page: RecordPage,
  count: () => Promise<number>,
  syncedAt: Date | null = null,
): RecordList => ({
  nodes: page.records.map(parseRecord),
  cursorAt: (index) => page.cursorOf(page.records[index] ?? ''),
  hasNext: page.hasNext,
  hasPrevious: page.hasPrevious,
  count,
  syncedAt,
})

/** A type whose lists are connections. */
export interface ListedType {
  /** The name of the type; that of its connection follows from it: `UserConnection`. */
  readonly name: string
  readonly type: OutputType<Types>
}

/** Creates the function that returns the connection type of a type. `fields`: further fields of that connection. */
export const createConnectionTypes = (builder: Builder) => {
  const pageInfo = builder.objectRef<Listed<unknown>>('PageInfo').implement({
    description: 'The position of a page in its list (Relay cursor connections).',
    fields: (t) => ({
      hasNextPage: t.boolean({
        nullable: false,
        description: 'Whether entries follow this page.',
        resolve: ({ hasNext }) => hasNext,
      }),
      hasPreviousPage: t.boolean({
        nullable: false,
        description: 'Whether entries precede this page.',
        resolve: ({ hasPrevious }) => hasPrevious,
      }),
      startCursor: t.string({
        description: 'The cursor of the first entry, for `before`; null on an empty page.',
        resolve: ({ nodes, cursorAt }) => (nodes.length > 0 ? cursorAt(0) : null),
      }),
      endCursor: t.string({
        description: 'The cursor of the last entry, for `after`; null on an empty page.',
        resolve: ({ nodes, cursorAt, end }) =>
          end ?? (nodes.length > 0 ? cursorAt(nodes.length - 1) : null),
      }),
    }),
  })
  return <List extends Listed<unknown> = Listed<unknown>>(
    { name, type }: ListedType,
    fields: (t: ObjectFieldBuilder<Types, List>) => FieldMap = () => ({}),
  ) => {
    const edge = builder.objectRef<Edge>(`${name}Edge`).implement({
      description: `An entry of a page of ${name}, with its cursor.`,
      fields: (t) => ({
        cursor: t.string({
          nullable: false,
          description: 'Its position in the list, for `after` or `before`.',
          resolve: ({ list, index }) => list.cursorAt(index),
        }),
        node: t.field({
          type,
          nullable: false,
          description: 'The entry.',
          // The nodes of a list are values of its type.
          resolve: ({ list, index }) => list.nodes[index] as never,
        }),
      }),
    })
    return builder.objectRef<List>(`${name}Connection`).implement({
      description: `A page of a list of ${name}.`,
      fields: (t) => ({
        nodes: t.field({
          type: [type],
          nullable: false,
          description: 'The entries of the page, in order.',
          resolve: ({ nodes }) => nodes as never,
        }),
        edges: t.field({
          type: [edge],
          nullable: false,
          description: 'The same entries, each with its cursor.',
          resolve: (list): Edge[] => list.nodes.map((_node, index) => ({ list, index })),
        }),
        pageInfo: t.field({
          type: pageInfo,
          nullable: false,
          description: 'The position of the page.',
          resolve: (list) => list,
        }),
        totalCount: t.int({
          nullable: false,
          description: 'The number of entries on all pages. Counted only if selected.',
          resolve: ({ count }) => count(),
        }),
        ...fields(t),
      }),
    })
  }
}

export type ConnectionTypes = ReturnType<typeof createConnectionTypes>
