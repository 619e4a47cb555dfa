/** The GraphQL schema: types, lists and links of every resource, built from the definitions. */
import type { GraphQLSchema } from 'graphql'
import { type Catalogue, linkName } from '../../definition/catalogue.ts'
import type { Field, Fields, Shape } from '../../definition/field.ts'
import { resolveId, routeOf } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { ApiError } from '../../errors.ts'
import { countRecords, listRecords } from '../../store/records.ts'
import { MAX_CREDENTIALS, resolveCredential, resolveScope } from '../caller.ts'
import { type Builder, createBuilder, type GraphContext } from './builder.ts'
import { listComplexity } from './cost.ts'
import { createEnums, type Enums } from './enums.ts'
import { createListInputs, readListArguments } from './inputs.ts'
import type { GraphRecord } from './loaders.ts'
import { createPageTypes, toGraphPage } from './pages.ts'

type RecordType = ReturnType<typeof makeRecordType>
type PageType = ReturnType<ReturnType<typeof createPageTypes>>
type ListArgs = ReturnType<ReturnType<typeof createListInputs>>

const makeRecordType = (builder: Builder, name: string) => builder.objectRef<GraphRecord>(name)

/** What belongs to one resource while the schema is built. */
interface ResourceTypes {
  readonly resource: Resource
  readonly record: RecordType
  readonly page: PageType
  readonly listArgs: ListArgs
}

/** The caller of an operation; introspection alone has none. @throws UNAUTHENTICATED */
const callerOf = ({ caller }: GraphContext) => {
  if (caller === undefined) throw new ApiError('UNAUTHENTICATED', 'Send the API key.')
  return caller
}

const scalars = {
  text: 'String',
  label: 'String',
  integer: 'Int',
  number: 'Float',
  decimal: 'Decimal',
  boolean: 'Boolean',
  timestamp: 'DateTime',
  date: 'DateTime',
  json: 'JSON',
  reference: 'ID',
} as const

const listScalars = { references: 'ID', texts: 'String' } as const

/** The parts of the schema that the fields of records refer to. */
interface Parts {
  readonly builder: Builder
  readonly enums: Enums
  readonly types: ReadonlyMap<string, ResourceTypes>
  readonly shapes: ReadonlyMap<Shape, RecordType>
}

const identifiers = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

/** The id in a reference: bare, or inside the object that stands for it. */
const referencedId = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? value.id
      : undefined
