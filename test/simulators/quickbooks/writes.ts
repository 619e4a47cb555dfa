/** Creates, updates, deletes and voids records, as the API and the company's own users do. */
import { multiply, round } from '../engine/decimal.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { amountOf, type Company, referenceId } from './company.ts'
import { type Entity, entityNamed, type Operation } from './entities.ts'
import {
  businessRule,
  missingParameter,
  notFound,
  staleObject,
  unsupportedOperation,
} from './faults.ts'
import { linesOf } from './lines.ts'
import { applyPayment, type Rewrite, unlinkDocument } from './links.ts'
import { computeName } from './names.ts'
import { resolveReferences } from './references.ts'
import { formatTime } from './times.ts'
import { computeTransaction } from './transactions.ts'

/** Fields that the vendor computes. They may be sent, as they come back with a read record, and are ignored. */
const READ_ONLY = new Set([
  'Id',
  'SyncToken',
  'MetaData',
  'domain',
  'sparse',
  'status',
  'FullyQualifiedName',
  'Level',
  'Job',
  'SubAccount',
  'SubClass',
  'SubDepartment',
  'Balance',
  'BalanceWithJobs',
  'HomeBalance',
  'HomeTotalAmt',
  'UnappliedAmt',
  'CurrentBalance',
  'CurrentBalanceWithSubAccounts',
  'Classification',
  'TrackQtyOnHand',
  'LinkedTxn',
  'POStatus',
  'AutoDocNumber',
])

/** The total of these is the sum of their lines. */
const TOTALLED = new Set(['Invoice', 'Bill', 'PurchaseOrder'])

/** Transactions share one series of ids; each list has its own. */
const seriesOf = ({ kind, name }: Entity): string => (kind === 'transaction' ? 'transaction' : name)

const isReadOnly = (entity: string, field: string): boolean =>
  READ_ONLY.has(field) || (field === 'TotalAmt' && TOTALLED.has(entity))

const pick = (value: JsonObject, keeps: (field: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([field]) => keeps(field)))

const writableOf = (entity: string, value: JsonObject): JsonObject =>
  pick(value, (field) => !isReadOnly(entity, field))

/** Empty texts and empty objects clear a field. */
const withoutEmpty = (value: JsonObject): JsonObject =>
  pick(value, (field) => value[field] !== undefined && value[field] !== '')

const compute = (
  company: Company,
  { name, kind }: Entity,
  value: JsonObject,
  before?: JsonObject,
) =>
  kind === 'transaction'
    ? computeTransaction(company, name, value, before)
    : computeName(company, name, String(value.Id), value)

/** Amounts in the currency of the company, which transactions in others have. */
const homeAmounts = ({ settings }: Company, entity: string, value: JsonObject): JsonObject => {
  const { CurrencyRef, ExchangeRate, TotalAmt, Balance } = value
  if (typeof ExchangeRate !== 'number' || !TOTALLED.has(entity)) return {}
  if (referenceId(CurrencyRef) === settings.homeCurrency) return {}
  const toHomeAmount = (amount: unknown): number =>
    round(multiply(amountOf(amount), ExchangeRate), 2)
  return {
    ...(entity === 'Invoice' && { HomeTotalAmt: toHomeAmount(TotalAmt) }),
    ...(Balance !== undefined && { HomeBalance: toHomeAmount(Balance) }),
  }
}

/** The stored form of a record: without empty fields, with the fields that every record has. */
const toStored = (
  company: Company,
  entity: string,
  value: JsonObject,
  {
    id,
    version,
    created,
  }: { readonly id: string; readonly version: number; readonly created?: string },
): JsonObject => {
  const now = formatTime(company.clock.nowMs())
  return {
    ...withoutEmpty(value),
    ...homeAmounts(company, entity, value),
    domain: 'QBO',
    sparse: false,
    Id: id,
    SyncToken: String(version),
    MetaData: { CreateTime: created ?? now, LastUpdatedTime: now },
  }
}

const createdOf = ({ MetaData }: JsonObject): string | undefined =>
  isJsonObject(MetaData) ? String(MetaData.CreateTime) : undefined

const versionOf = ({ SyncToken }: JsonObject): number => Number(SyncToken)

/** Writes a record under a new version. */
const replace = (
  company: Company,
  entity: string,
  value: JsonObject,
  action?: string,
): JsonObject => {
  const id = String(value.Id)
  const before = company.store.find(entity, id)?.value ?? {}
  const version = versionOf(before) + 1
  const created = createdOf(before)
  const stored = toStored(company, entity, value, {
    id,
    version,
    ...(created !== undefined && { created }),
  })
  company.store.replace(entity, id, stored, action)
  return stored
}

/** Writes records that another write changes. */
export const rewriterOf =
  (company: Company): Rewrite =>
  (entity, value) =>
    void replace(company, entity, value)

const checkRequired = (entity: Entity, value: JsonObject): void => {
  for (const alternatives of entity.required)
    if (alternatives.every((field) => value[field] === undefined))
      throw missingParameter(alternatives[0] ?? '')
}

/** @throws FaultException */
export const createRecord = (company: Company, entity: Entity, sent: JsonObject): JsonObject => {
  const writable = writableOf(entity.name, sent)
  checkRequired(entity, writable)
  const resolved = resolveReferences(company, entity.name, writable)
  const id = company.store.nextId(seriesOf(entity))
  const computed = compute(company, entity, { ...resolved, Id: id })
  const value = toStored(company, entity.name, computed, { id, version: 0 })
  company.store.insert(entity.name, id, value)
  applyPayment(company, entity.name, { after: value }, rewriterOf(company))
  return company.find(entity.name, id) ?? value
}

/** The current record. @throws FaultException 610 if it does not exist, 5010 if the SyncToken is not its own */
const findCurrent = (
  company: Company,
  entity: Entity,
  { Id, SyncToken }: JsonObject,
): JsonObject => {
  if (typeof Id !== 'string') throw missingParameter('Id')
  if (typeof SyncToken !== 'string') throw missingParameter('SyncToken')
  const current = company.store.find(entity.name, Id)?.value
  if (!current) throw notFound("Something you're trying to use has been made inactive.")
  if (current.SyncToken !== SyncToken) throw staleObject()
  return current
}

/** @throws FaultException */
const updateRecord = (company: Company, entity: Entity, sent: JsonObject): JsonObject => {
  const before = findCurrent(company, entity, sent)
  const writable = writableOf(entity.name, sent)
  const unsent = sent.sparse === true ? writableOf(entity.name, before) : {}
  // A record may keep what it refers to after that has become inactive.
  const changed = pick(writable, (field) => {
    return JSON.stringify(writable[field]) !== JSON.stringify(before[field])
  })
  const resolved = resolveReferences(company, entity.name, changed)
  const merged = withoutEmpty({ ...unsent, ...writable, ...resolved, Id: before.Id })
  checkRequired(entity, merged)
  const after = compute(company, entity, merged, before)
  replace(company, entity.name, after)
  applyPayment(company, entity.name, { before, after }, rewriterOf(company))
  return company.find(entity.name, String(before.Id)) ?? after
}

/** Deletes a transaction. @throws FaultException */
const deleteRecord = (company: Company, entity: Entity, sent: JsonObject): JsonObject => {
  const before = findCurrent(company, entity, sent)
  const { Id = '' } = before
  unlinkDocument(company, entity.name, before, rewriterOf(company))
  applyPayment(company, entity.name, { before }, rewriterOf(company))
  company.store.remove(entity.name, String(Id))
  return { domain: 'QBO', status: 'Deleted', Id }
}

const voidedLine = (line: JsonObject): JsonObject => {
  const type = String(line.DetailType)
  const detail = line[type]
  if (!isJsonObject(detail)) return { ...line, Amount: 0 }
  const { UnitPrice, Qty } = detail
  const zero = {
    ...(UnitPrice !== undefined && { UnitPrice: 0 }),
    ...(Qty !== undefined && { Qty: 0 }),
  }
  return { ...line, Amount: 0, [type]: { ...detail, ...zero } }
}

/** Sets the amounts of a transaction to zero and does not delete it. @throws FaultException */
const voidRecord = (company: Company, entity: Entity, sent: JsonObject): JsonObject => {
  const before = findCurrent(company, entity, sent)
  unlinkDocument(company, entity.name, before, rewriterOf(company))
  applyPayment(company, entity.name, { before }, rewriterOf(company))
  const isPayment = before.UnappliedAmt !== undefined || before.PayType !== undefined
  return replace(
    company,
    entity.name,
    {
      ...before,
      PrivateNote: 'Voided',
      Line: isPayment ? [] : linesOf(before).map(voidedLine),
      TotalAmt: 0,
      ...(before.Balance !== undefined && { Balance: 0, LinkedTxn: [] }),
      ...(before.UnappliedAmt !== undefined && { UnappliedAmt: 0 }),
      ...(before.TxnTaxDetail !== undefined && { TxnTaxDetail: { TotalTax: 0 } }),
    },
    'voided',
  )
}

const WRITES: Readonly<Record<Operation, typeof createRecord>> = {
  create: createRecord,
  update: updateRecord,
  delete: deleteRecord,
  void: voidRecord,
}

/**
 * Writes a record and all that changes with it, or nothing.
 * @throws FaultException
 */
export const write = (
  company: Company,
  operation: Operation,
  entityName: string,
  sent: JsonObject,
): JsonObject => {
  const entity = entityNamed(entityName)
  if (!entity.operations.includes(operation))
    throw unsupportedOperation(`${operation} of ${entityName}`)
  if (entity.kind === 'name' && sent.Active === false && operation === 'create')
    throw businessRule('A new entry must be active.', 'Active')
  return company.store.transaction(() => WRITES[operation](company, entity, sent))
}
