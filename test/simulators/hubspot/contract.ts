/**
 * The vendor's contract as JSON Schema, closed-world. Names and types are those of the models of the npm package
 * @hubspot/api-client 14.0.1; where the versions of 2026 differ (`archived` is required), of those. Which property
 * names a record may have is checked against the definitions of the portal, in values.ts.
 */
import { type Check, createContract } from '../engine/contract.ts'

type Schemas = Readonly<Record<string, object>>

const TEXT = { type: 'string' }
const INTEGER = { type: 'integer' }
const BOOLEAN = { type: 'boolean' }
const TIME = { type: 'string', format: 'date-time' }

const ref = (name: string): object => ({ $ref: `#/$defs/${name}` })
const list = (items: object, maxItems?: number): object => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
})
const mapOf = (values: object): object => ({ type: 'object', additionalProperties: values })
const object = (required: Schemas, optional: Schemas = {}): object => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
})

/** The largest number of records in a batch. */
export const MAX_BATCH = 100

const inputsOf = (item: object, max = MAX_BATCH): object => object({ inputs: list(item, max) }, {})

const TEXTS = mapOf(TEXT)
const CONTEXT = mapOf(list(TEXT))

const batchOf = (result: object): object =>
  object(
    {
      status: { enum: ['PENDING', 'PROCESSING', 'CANCELED', 'COMPLETE'] },
      results: list(result),
      startedAt: TIME,
      completedAt: TIME,
    },
    {
      requestedAt: TIME,
      links: TEXTS,
      numErrors: INTEGER,
      errors: list(ref('StandardError')),
    },
  )

const RECORD: Schemas = {
  id: TEXT,
  properties: mapOf({ type: ['string', 'null'] }),
  createdAt: TIME,
  updatedAt: TIME,
  archived: BOOLEAN,
}
const RECORD_EXTRAS: Schemas = { archivedAt: TIME, objectWriteTraceId: TEXT, url: TEXT }

const errors: Schemas = {
  ErrorDetail: object(
    { message: TEXT },
    { code: TEXT, in: TEXT, subCategory: TEXT, context: CONTEXT },
  ),
  StandardError: object({
    status: TEXT,
    category: TEXT,
    message: TEXT,
    context: CONTEXT,
    links: TEXTS,
    errors: list(ref('ErrorDetail')),
  }),
  ApiError: object(
    { category: TEXT, correlationId: { type: 'string', format: 'uuid' }, message: TEXT },
    {
      status: { const: 'error' },
      subCategory: TEXT,
      context: CONTEXT,
      links: TEXTS,
      errors: list(ref('ErrorDetail')),
    },
  ),
  LimitError: object({
    status: { const: 'error' },
    message: TEXT,
    errorType: { const: 'RATE_LIMIT' },
    correlationId: { type: 'string', format: 'uuid' },
    policyName: { enum: ['SECONDLY', 'TEN_SECONDLY_ROLLING', 'DAILY'] },
    groupName: TEXT,
  }),
  Error: { anyOf: [ref('ApiError'), ref('LimitError')] },
}

const requests: Schemas = {
  AssociationSpec: object({
    associationCategory: {
      enum: ['HUBSPOT_DEFINED', 'USER_DEFINED', 'INTEGRATOR_DEFINED', 'WORK'],
    },
    associationTypeId: INTEGER,
  }),
  // The models say that an id is text; the documentation writes numbers.
  ObjectId: object({ id: { type: ['string', 'integer'] } }),
  NewAssociation: object({ to: ref('ObjectId'), types: list(ref('AssociationSpec')) }),
  CreateRecord: object({ properties: TEXTS }, { associations: list(ref('NewAssociation')) }),
  UpdateRecord: object({ properties: TEXTS }),
  BatchRead: object(
    { inputs: list(object({ id: TEXT }), MAX_BATCH), properties: list(TEXT) },
    { propertiesWithHistory: list(TEXT, 0), idProperty: TEXT },
  ),
  BatchCreate: inputsOf(
    object(
      { properties: TEXTS },
      { associations: list(ref('NewAssociation')), objectWriteTraceId: TEXT },
    ),
  ),
  BatchUpdate: inputsOf(
    object({ id: TEXT, properties: TEXTS }, { idProperty: TEXT, objectWriteTraceId: TEXT }),
  ),
  BatchArchive: inputsOf(object({ id: TEXT })),
  Merge: object({ primaryObjectId: TEXT, objectIdToMerge: TEXT }),
  Filter: object(
    {
      propertyName: TEXT,
      operator: {
        enum: [
          'EQ',
          'NEQ',
          'LT',
          'LTE',
          'GT',
          'GTE',
          'BETWEEN',
          'IN',
          'NOT_IN',
          'HAS_PROPERTY',
          'NOT_HAS_PROPERTY',
          'CONTAINS_TOKEN',
          'NOT_CONTAINS_TOKEN',
        ],
      },
    },
    { value: TEXT, highValue: TEXT, values: list(TEXT) },
  ),
  Search: object(
    {},
    {
      query: { type: 'string', maxLength: 3000 },
      limit: INTEGER,
      after: TEXT,
      properties: list(TEXT),
      // The models say texts; the documentation writes objects.
      sorts: list({
        anyOf: [
          TEXT,
          object({ propertyName: TEXT }, { direction: { enum: ['ASCENDING', 'DESCENDING'] } }),
        ],
      }),
      filterGroups: list(object({ filters: list(ref('Filter')) })),
    },
  ),
  AssociationTypes: object({ types: { ...list(ref('AssociationSpec')), minItems: 1 } }),
  AssociationsRead: inputsOf(object({ id: TEXT }, { after: TEXT }), 1000),
  AssociationsCreate: inputsOf(
    object({ from: ref('ObjectId'), to: ref('ObjectId'), types: list(ref('AssociationSpec')) }),
    2000,
  ),
  AssociationsDefault: inputsOf(object({ from: ref('ObjectId'), to: ref('ObjectId') }), 2000),
  AssociationsArchive: inputsOf(object({ from: ref('ObjectId'), to: list(ref('ObjectId')) }), 2000),
}

const responses: Schemas = {
  Nothing: object({}),
  NextPage: object({ after: TEXT }, { link: TEXT }),
  Paging: object({}, { next: ref('NextPage') }),
  AssociatedIds: object(
    { results: list(object({ id: TEXT, type: TEXT })) },
    { paging: ref('Paging') },
  ),
  Record: object(RECORD, { ...RECORD_EXTRAS, associations: mapOf(ref('AssociatedIds')) }),
  Records: object({ results: list(ref('Record')) }, { paging: ref('Paging') }),
  SearchResults: object(
    { total: INTEGER, results: list(object(RECORD, RECORD_EXTRAS)) },
    { paging: ref('Paging') },
  ),
  RecordBatch: batchOf(object(RECORD, RECORD_EXTRAS)),
  UpsertBatch: batchOf(object({ ...RECORD, properties: TEXTS, new: BOOLEAN }, RECORD_EXTRAS)),
  AssociationLabel: object(
    {
      category: { enum: ['HUBSPOT_DEFINED', 'USER_DEFINED', 'INTEGRATOR_DEFINED', 'WORK'] },
      typeId: INTEGER,
    },
    { label: TEXT },
  ),
  AssociatedObject: object({ toObjectId: TEXT, associationTypes: list(ref('AssociationLabel')) }),
  AssociatedObjects: object({ results: list(ref('AssociatedObject')) }, { paging: ref('Paging') }),
  AssociationsReadBatch: batchOf(
    object(
      { from: object({ id: TEXT }), to: list(ref('AssociatedObject')) },
      { paging: ref('Paging') },
    ),
  ),
  LabelsBetween: object({
    fromObjectTypeId: TEXT,
    fromObjectId: TEXT,
    toObjectTypeId: TEXT,
    toObjectId: TEXT,
    labels: list(TEXT),
  }),
  LabelsBatch: batchOf(ref('LabelsBetween')),
  DefaultAssociationBatch: batchOf(
    object({
      from: object({ id: TEXT }),
      to: object({ id: TEXT }),
      associationSpec: ref('AssociationSpec'),
    }),
  ),
  Option: object(
    { label: TEXT, value: TEXT, hidden: BOOLEAN },
    { displayOrder: INTEGER, description: TEXT },
  ),
  Property: object(
    {
      name: TEXT,
      label: TEXT,
      description: TEXT,
      groupName: TEXT,
      type: {
        enum: ['string', 'number', 'date', 'datetime', 'enumeration', 'bool', 'phone_number'],
      },
      fieldType: TEXT,
      options: list(ref('Option')),
    },
    {
      hidden: BOOLEAN,
      displayOrder: INTEGER,
      hubspotDefined: BOOLEAN,
      formField: BOOLEAN,
      hasUniqueValue: BOOLEAN,
      calculated: BOOLEAN,
      externalOptions: BOOLEAN,
      archived: BOOLEAN,
      archivedAt: TIME,
      createdAt: TIME,
      updatedAt: TIME,
      createdUserId: TEXT,
      updatedUserId: TEXT,
      referencedObjectType: TEXT,
      showCurrencySymbol: BOOLEAN,
      calculationFormula: TEXT,
      modificationMetadata: object(
        { archivable: BOOLEAN, readOnlyDefinition: BOOLEAN, readOnlyValue: BOOLEAN },
        { readOnlyOptions: BOOLEAN },
      ),
    },
  ),
  Properties: object({ results: list(ref('Property')) }),
  Owner: object(
    {
      id: TEXT,
      type: { enum: ['PERSON', 'QUEUE'] },
      archived: BOOLEAN,
      createdAt: TIME,
      updatedAt: TIME,
    },
    {
      email: TEXT,
      firstName: TEXT,
      lastName: TEXT,
      userId: INTEGER,
      userIdIncludingInactive: INTEGER,
      teams: list(object({ id: TEXT, name: TEXT, primary: BOOLEAN })),
    },
  ),
  Owners: object({ results: list(ref('Owner')) }, { paging: ref('Paging') }),
  Stage: object(
    {
      id: TEXT,
      label: TEXT,
      displayOrder: INTEGER,
      archived: BOOLEAN,
      createdAt: TIME,
      updatedAt: TIME,
    },
    {
      archivedAt: TIME,
      metadata: TEXTS,
      writePermissions: { enum: ['CRM_PERMISSIONS_ENFORCEMENT', 'READ_ONLY', 'INTERNAL_ONLY'] },
    },
  ),
  Stages: object({ results: list(ref('Stage')) }),
  Pipeline: object(
    {
      id: TEXT,
      label: TEXT,
      displayOrder: INTEGER,
      archived: BOOLEAN,
      createdAt: TIME,
      updatedAt: TIME,
      stages: list(ref('Stage')),
    },
    { archivedAt: TIME },
  ),
  Pipelines: object({ results: list(ref('Pipeline')) }),
  AccountDetails: object({
    portalId: INTEGER,
    timeZone: TEXT,
    companyCurrency: TEXT,
    uiDomain: TEXT,
    additionalCurrencies: list(TEXT),
    utcOffset: TEXT,
    utcOffsetMilliseconds: INTEGER,
    accountType: { enum: ['APP_DEVELOPER', 'DEVELOPER_TEST', 'SANDBOX', 'STANDARD'] },
    dataHostingLocation: TEXT,
  }),
}

/** The schemas by name, for tests that change one field at a time. */
export const schemas: Schemas = { ...errors, ...requests, ...responses }

const contract = createContract({ $defs: schemas })

/** The check against a schema: `CreateRecord`, `Records`. */
export const checkOf = (name: string): Check => contract.checkOf(name)
