/** Writes a page of records: nodes, edges, page info and total count, as selected. */
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import type { Resource } from '../../../definition/resource.ts'
import type { RecordPage } from '../../../store/records/records.ts'
import type { Loaders } from '../loaders.ts'
import { NotPlannedError } from './not-planned.ts'
import { planRecord } from './record.ts'
import { type SelectedField, type SelectionContext, selectedFields } from './selection.ts'
import { keyText } from './value.ts'

/** A page with what its text needs. */
export interface PageSource {
  readonly page: RecordPage
  /** The number of records on all pages; only if the plan counts. */
  readonly total: number | undefined
  readonly credentialOf: Loaders['credentialOf']
}

export interface PagePlan {
  /** Whether `totalCount` is selected. */
  readonly counts: boolean
  write(source: PageSource): string
}

type Write<Source> = (source: Source) => string

/** An object type, and what is selected of it. */
interface ObjectSelection extends Pick<SelectedField, 'selectionSets'> {
  readonly type: GraphQLObjectType
}

/** Writes an object: its selected fields by the writers of their names. */
const planObject = <Source>(
  context: SelectionContext,
  { type, selectionSets }: ObjectSelection,
  planField: (selected: SelectedField) => Write<Source>,
): Write<Source> => {
  const members = selectedFields(context, type, selectionSets).map((selected) => ({
    key: keyText(selected.as),
    write: selected.name === '__typename' ? (): string => `"${type.name}"` : planField(selected),
  }))
  return (source) => `{${members.map(({ key, write }) => key + write(source)).join(',')}}`
}

/** The object type of a field, or of the entries of its list. */
const typeOf = (parent: GraphQLObjectType, fieldName: string): GraphQLObjectType => {
  const field = parent.getFields()[fieldName]
  const type = field && getNamedType(field.type)
  if (!isObjectType(type)) throw new NotPlannedError()
  return type
}

const cursorText = (page: RecordPage, record: string | undefined): string =>
  record === undefined ? 'null' : `"${page.cursorOf(record)}"`

const pageInfo: Readonly<Record<string, Write<PageSource>>> = {
  hasNextPage: ({ page }) => String(page.hasNext),
  hasPreviousPage: ({ page }) => String(page.hasPrevious),
  startCursor: ({ page }) => cursorText(page, page.records[0]),
  endCursor: ({ page }) => cursorText(page, page.records.at(-1)),
}

interface EdgeSource extends PageSource {
  readonly record: string
}

/** Plans a page of a resource's records. @throws NotPlannedError */
export const planPage = (
  context: SelectionContext,
  resource: Resource,
  { selectionSets }: SelectedField,
): PagePlan => {
  const type = context.schema.getType(`${resource.typeName}Page`)
  if (!isObjectType(type)) throw new NotPlannedError()
  const ofField = (selected: SelectedField): ObjectSelection => ({
    type: typeOf(type, selected.name),
    selectionSets: selected.selectionSets,
  })
  let counts = false

  const planEdge = (selected: SelectedField): Write<EdgeSource> => {
    if (selected.name === 'cursor') return ({ page, record }) => cursorText(page, record)
    const write = planRecord(context, resource, selected.selectionSets)
    return ({ record, credentialOf }) => write(record, credentialOf)
  }
  const planners: Readonly<Record<string, (selected: SelectedField) => Write<PageSource>>> = {
    nodes: ({ selectionSets }) => {
      const write = planRecord(context, resource, selectionSets)
      return ({ page, credentialOf }) =>
        `[${page.records.map((record) => write(record, credentialOf)).join(',')}]`
    },
    edges: (selected) => {
      const write = planObject(context, ofField(selected), planEdge)
      return (source) =>
        `[${source.page.records.map((record) => write({ ...source, record })).join(',')}]`
    },
    pageInfo: (selected) =>
      planObject(context, ofField(selected), ({ name }) => {
        const write = pageInfo[name]
        if (write === undefined) throw new NotPlannedError()
        return write
      }),
    // A list with maxStalenessSeconds is not planned.
    syncedAt: () => () => 'null',
    totalCount: () => {
      counts = true
      return ({ total }) => String(total)
    },
  }
  const write = planObject(context, { type, selectionSets }, (selected) => {
    const plan = planners[selected.name]
    if (plan === undefined) throw new NotPlannedError()
    return plan(selected)
  })
  return { counts, write }
}
