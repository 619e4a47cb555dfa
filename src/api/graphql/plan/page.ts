/** Writes a page of records: nodes, edges, page info and total count, as selected. */
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import type { Resource } from '../../../definition/resource.ts'
import type { PageShape, RecordPage } from '../../../store/records/records.ts'
import type { TreePage, TreeRow } from '../../../store/records/tree.ts'
import { type ListArguments, MAX_CURSOR_LENGTH } from '../inputs.ts'
import type { VariableValues } from '../variables.ts'
import {
  createLevel,
  type Level,
  type LevelSource,
  type PlanContext,
  type PlanRecord,
  type RecordPlan,
  readLevel,
} from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import { type MergedField, selectedFields } from './selection.ts'
import { keyText } from './value.ts'

/** A page with what its text needs. */
export interface PageSource extends LevelSource {
  readonly page: RecordPage<TreeRow>
  /** The texts of the page's records, joined by commas, if the plan copies them; undefined: they are in `page`. */
  readonly text?: string | undefined
  /** The number of records on all pages; only if the plan counts. */
  readonly total: number
}

export interface PagePlan {
  readonly level: Level
  /** Whether `totalCount` is selected. */
  readonly hasCount: boolean
  /** What to read of the page; undefined: nothing but the count. */
  read(shape: PageShape, variables: VariableValues): TreePage | undefined
  write(source: PageSource): string
}

/** Leaves cursors that are too long to the resolvers, which reject them. @throws NotPlannedError */
export const checkCursors = ({ after, before }: ListArguments): void => {
  for (const cursor of [after, before])
    if (cursor && cursor.length > MAX_CURSOR_LENGTH) throw new NotPlannedError()
}

type Write<Source> = (source: Source) => string

/** An object type, and what is selected of it. */
interface ObjectSelection extends Pick<MergedField, 'selectionSets'> {
  readonly type: GraphQLObjectType
}

/**
 * The text of each item, joined by commas. `Array.join()` would copy the text of every page into that of the page
 * around it; texts that are concatenated are copied once, when the response is sent.
 */
const joinTexts = <Item>(items: readonly Item[], write: (item: Item) => string): string => {
  let text = ''
  for (const item of items) text += text === '' ? write(item) : `,${write(item)}`
  return text
}

/** Writes an object: its selected fields by the writers of their names. */
const planObject = <Source>(
  context: PlanContext,
  { type, selectionSets }: ObjectSelection,
  planField: (selected: MergedField) => Write<Source>,
): Write<Source> => {
  const members = selectedFields(context, type, selectionSets).map((selected) => ({
    key: keyText(selected.as),
    write: selected.name === '__typename' ? (): string => `"${type.name}"` : planField(selected),
  }))
  return (source) => `{${joinTexts(members, ({ key, write }) => key + write(source))}}`
}

/** The object type of a field, or of the entries of its list. */
const typeOf = (parent: GraphQLObjectType, fieldName: string): GraphQLObjectType => {
  const field = parent.getFields()[fieldName]
  const type = field && getNamedType(field.type)
  if (!isObjectType(type)) throw new NotPlannedError()
  return type
}

const cursorText = (page: RecordPage<TreeRow>, record: TreeRow | undefined): string =>
  record === undefined ? 'null' : `"${page.cursorOf(record)}"`

const pageInfo: Readonly<Record<string, Write<PageSource>>> = {
  hasNextPage: ({ page }) => String(page.hasNext),
  hasPreviousPage: ({ page }) => String(page.hasPrevious),
  startCursor: ({ page }) => cursorText(page, page.records[0]),
  endCursor: ({ page }) => cursorText(page, page.records.at(-1)),
}

interface EdgeSource extends PageSource {
  readonly record: TreeRow
}

/** What the selected fields of a page need. */
interface PageNeeds {
  readonly level: Level
  readonly names: Set<string>
  /** The plans of its nodes. */
  readonly nodes: RecordPlan[]
}

/** What to read of a page, if more than the count is selected. */
const readPage = (
  { level, names, nodes }: PageNeeds,
  { page: { backward } }: PageShape,
  variables: VariableValues,
): TreePage | undefined => {
  if (!['nodes', 'edges', 'pageInfo'].some((name) => names.has(name))) return
  return {
    level: readLevel(level, variables),
    detectsMore: names.has(backward ? 'hasPreviousPage' : 'hasNextPage'),
    hasCursors: ['cursor', 'startCursor', 'endCursor'].some((name) => names.has(name)),
    isCopied:
      !names.has('edges') && !names.has('pageInfo') && nodes.every(({ isCopied }) => isCopied()),
  }
}

/** Plans a page of a resource's records. @throws NotPlannedError */
export const planPage = (
  context: PlanContext,
  resource: Resource,
  { selectionSets }: MergedField,
  planNode: PlanRecord,
): PagePlan => {
  const type = context.schema.getType(`${resource.typeName}Connection`)
  if (!isObjectType(type)) throw new NotPlannedError()
  const level = createLevel(resource)
  const names = new Set<string>()
  const nodes: RecordPlan[] = []
  const ofField = (selected: MergedField): ObjectSelection => ({
    type: typeOf(type, selected.name),
    selectionSets: selected.selectionSets,
  })

  const planEdge = (selected: MergedField): Write<EdgeSource> => {
    if (selected.name === 'cursor') {
      names.add('cursor')
      return ({ page, record }) => cursorText(page, record)
    }
    const { write } = planNode(context, level, selected.selectionSets)
    return (source) => write(source.record, source)
  }
  const planners: Readonly<Record<string, (selected: MergedField) => Write<PageSource>>> = {
    nodes: (selected) => {
      const plan = planNode(context, level, selected.selectionSets)
      nodes.push(plan)
      const textOf = (source: PageSource): string =>
        joinTexts(source.page.records, (record) => plan.write(record, source))
      return (source) => `[${source.text ?? textOf(source)}]`
    },
    edges: (selected) => {
      const write = planObject(context, ofField(selected), planEdge)
      return (source) =>
        `[${joinTexts(source.page.records, (record) => write({ ...source, record }))}]`
    },
    pageInfo: (selected) =>
      planObject(context, ofField(selected), ({ name }) => {
        const write = pageInfo[name]
        if (write === undefined) throw new NotPlannedError()
        names.add(name)
        return write
      }),
    // A list with maxStalenessSeconds is not planned.
    syncedAt: () => () => 'null',
    totalCount: () => (source) => String(source.total),
  }
  const write = planObject(context, { type, selectionSets }, (selected) => {
    const plan = planners[selected.name]
    if (plan === undefined) throw new NotPlannedError()
    names.add(selected.name)
    return plan(selected)
  })
  return {
    level,
    hasCount: names.has('totalCount'),
    read: (shape, variables) => readPage({ level, names, nodes }, shape, variables),
    write,
  }
}
