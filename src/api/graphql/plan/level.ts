/** The levels of a planned root field. A level is what one statement reads of the records at one place of the response. */
import type { Catalogue } from '../../../definition/catalogue.ts'
import { linkName } from '../../../definition/catalogue.ts'
import { documentColumns } from '../../../definition/column.ts'
import type { Fields, Kind } from '../../../definition/kinds/kind.ts'
import type { Resource } from '../../../definition/resource.ts'
import { memoize } from '../../../memoize.ts'
import type { LinkedRows, TreeLevel, TreeLink, TreeRow } from '../../../store/records/tree.ts'
import type { Loaders } from '../loaders.ts'
import type { VariableValues } from '../variables.ts'
import { NotPlannedError } from './not-planned.ts'
import type { MergedField, SelectionContext } from './selection.ts'

/** What plans depend on. */
export interface PlanContext extends SelectionContext {
  readonly catalogue: Catalogue
}

/** A link to other records. */
export interface Link {
  /** The level of those records. */
  readonly below: Level
  /** The data to read for those records. @throws INVALID_PARAMETER, INVALID_CURSOR, NotPlannedError */
  read(variables: VariableValues): TreeLink
}

/** The records at one place of the response, while their selections are planned. */
export interface Level {
  readonly resource: Resource
  /** The fields that the plan reads from a record's text. */
  readonly fields: Set<string>
  /** Whether the plan reads the custom fields of a record. */
  hasCustomFields: boolean
  readonly links: Link[]
}

export const createLevel = (resource: Resource): Level => ({
  resource,
  fields: new Set(),
  hasCustomFields: false,
  links: [],
})

/** The data for writing the text of a level's records. */
export interface LevelSource {
  readonly links: readonly LinkedRows[]
  readonly credentialOf: Loaders['credentialOf']
}

/**
 * Returns the response's JSON text of a record.
 * @throws NotPlannedError, RangeError if a stored value does not fit its type
 */
export type WriteRecord = (row: TreeRow, source: LevelSource) => string

/** The plan of the selected fields of a record. */
export interface RecordPlan {
  readonly write: WriteRecord
  /** Whether `write` returns the text of the row as it is. Called after all selections of the level are planned. */
  isCopied(): boolean
}

/** Plans the fields of a level's records, and adds what they need to the level. @throws NotPlannedError */
export type PlanRecord = (
  context: PlanContext,
  level: Level,
  selectionSets: MergedField['selectionSets'],
) => RecordPlan

// Measured (see docs/performance.md): reading, sending and searching a whole document takes as long as
// building this many texts or numbers in PostgreSQL. A time takes as long as several of them.
const MAX_PARTS = 8
const partsOf = (sqlType: string): number => {
  // The column does not keep the order of the members; the document does.
  if (sqlType === 'jsonb') return Number.POSITIVE_INFINITY
  return sqlType.startsWith('timestamp') ? 3 : 1
}

/** The number of parts of each field of a document. */
const documentParts = memoize(
  (resource: Resource): ReadonlyMap<string, number> =>
    new Map(documentColumns(resource).map(({ field, sqlType }) => [field, partsOf(sqlType)])),
)

/** The fields that PostgreSQL writes as text for a level, if that is faster than the whole stored document. */
export const textFields = ({ resource, fields }: Level): ReadonlySet<string> | undefined => {
  const parts = documentParts(resource)
  const sum = [...fields].reduce((total, field) => total + (parts.get(field) ?? 0), 0)
  return sum <= MAX_PARTS ? fields : undefined
}

// PostgreSQL plans 0.3 ms for each level of a new statement, and keeps about 60 kB of each in every connection.
const MAX_LEVELS = 20

const countLevels = ({ links }: Level): number =>
  links.reduce((sum, { below }) => sum + countLevels(below), 1)

/** Leaves a root field with many links to the resolvers. @throws NotPlannedError */
export const checkLevels = (root: Level): void => {
  if (countLevels(root) > MAX_LEVELS) throw new NotPlannedError()
}

/** The data to read at a level and below it. Called after all selections of the level are planned. */
export const readLevel = (level: Level, variables: VariableValues): TreeLevel => ({
  resource: level.resource,
  fields: textFields(level),
  hasCustomFields: level.hasCustomFields,
  links: level.links.map((link) => link.read(variables)),
})

/** A field that shows the records of a reference in place of their ids. */
export interface OutgoingLink {
  /** The name of the reference. */
  readonly name: string
  readonly kind: Kind
  readonly target: Resource
}

const outgoingLinks = memoize((fields: Fields) =>
  memoize((catalogue: Catalogue): ReadonlyMap<string, OutgoingLink> => {
    const links = new Map<string, OutgoingLink>()
    for (const [name, { kind }] of Object.entries(fields)) {
      if (!kind.reference || name === 'id') continue
      const target = catalogue.find(kind.reference.target)
      if (target) links.set(linkName(name, kind), { name, kind, target })
    }
    return links
  }),
)

/** The outgoing link with this name in the schema, of a record or a nested object. */
export const findOutgoing = (
  { catalogue }: PlanContext,
  fields: Fields,
  name: string,
): OutgoingLink | undefined => outgoingLinks(fields)(catalogue).get(name)

/** The rows of a link. @throws NotPlannedError if the link is of another kind */
export const requireRows = <LinkKind extends LinkedRows['kind']>(
  { links }: LevelSource,
  index: number,
  kind: LinkKind,
): Extract<LinkedRows, { kind: LinkKind }> => {
  const rows = links[index]
  if (rows?.kind !== kind) throw new NotPlannedError()
  // Safe: the kind was compared, which TypeScript does not follow for a type parameter.
  return rows as Extract<LinkedRows, { kind: LinkKind }>
}
