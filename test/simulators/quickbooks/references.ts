/** References between records: they must exist, be active, and get the name of what they refer to. */
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts'
import type { Company } from './company.ts'
import { businessRule, invalidReference, notFound } from './faults.ts'

/** The entity of references that are not named after it. */
const TARGETS: Readonly<Record<string, string>> = {
  CustomerRef: 'Customer',
  VendorRef: 'Vendor',
  PrefVendorRef: 'Vendor',
  ItemRef: 'Item',
  ClassRef: 'Class',
  DepartmentRef: 'Department',
  TaxRateRef: 'TaxRate',
}

const targetOf = (field: string, entity: string): string | undefined => {
  if (field === 'ParentRef') return entity
  if (field.endsWith('AccountRef')) return 'Account'
  if (field.endsWith('TaxCodeRef')) return 'TaxCode'
  return TARGETS[field]
}

/** The name of a record that references to it show. */
export const labelOf = ({ DisplayName, FullyQualifiedName, Name }: JsonObject): string =>
  String(FullyQualifiedName ?? DisplayName ?? Name ?? '')

const CURRENCIES: Readonly<Record<string, string>> = {
  USD: 'United States Dollar',
  EUR: 'Euro',
  GBP: 'British Pound Sterling',
  CAD: 'Canadian Dollar',
  JPY: 'Japanese Yen',
}

export const currencyReference = (code: string): JsonObject => {
  const name = CURRENCIES[code]
  if (name === undefined) throw invalidReference('Currencies', code, 'CurrencyRef')
  return { value: code, name }
}

const resolve = (company: Company, entity: string, field: string, reference: JsonObject) => {
  const value = String(reference.value ?? '')
  if (field === 'CurrencyRef') return currencyReference(value)
  const target = targetOf(field, entity)
  const found = target === undefined ? undefined : company.stored(target, value)
  if (!found) throw invalidReference(target ?? field.replace(/Ref$/, ''), value, field)
  if (found.Active === false)
    throw notFound(
      `Something you're trying to use has been made inactive. Check the fields with ${target}s.`,
    )
  return { value, name: labelOf(found) }
}

/**
 * The value with the names of its references, at any depth.
 * @throws FaultException 2500 if a reference does not exist, 610 if it is inactive
 */
export const resolveReferences = (
  company: Company,
  entity: string,
  value: JsonObject,
): JsonObject => {
  const visit = (part: Json | undefined, field: string): Json | undefined => {
    if (Array.isArray(part)) return part.map((element) => visit(element, field) ?? null)
    if (!isJsonObject(part)) return part
    if (field.endsWith('Ref')) return resolve(company, entity, field, part)
    return mapObject(part)
  }
  const mapObject = (part: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(part).map(([field, inner]) => [field, visit(inner, field)]))
  return mapObject(value)
}

/** The currency of a name or transaction. @throws FaultException 6000 if the company has only its own */
export const currencyOf = (
  { settings: { homeCurrency, multiCurrency } }: Company,
  { CurrencyRef }: JsonObject,
): JsonObject => {
  const code = isJsonObject(CurrencyRef) ? String(CurrencyRef.value) : homeCurrency
  if (code !== homeCurrency && !multiCurrency)
    throw businessRule('Multi-currency is not enabled for this company.', 'CurrencyRef')
  return currencyReference(code)
}
