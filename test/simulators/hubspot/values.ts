/** Checks the values of properties and converts them to the vendor's stored form. */
import type { JsonObject } from '../engine/json.ts'
import { ApiError, type ErrorDetail } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { definitionsOf, formatTime, type Portal, pipelinesOf, stagesOf } from './portal.ts'
import type { PropertyDefinition } from './property-definitions.ts'

/** Why a value is rejected, as the vendor writes it. */
interface ValueProblem {
  readonly name: string
  readonly error: string
  readonly message: string
}

const NUMBER = /^-?\d{1,30}(\.\d{1,15})?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
const EPOCH = /^-?\d{1,14}$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,200}\.[^\s@.]{2,63}$/

/** Milliseconds since 1970 of a time in milliseconds, a day or an ISO time; undefined: none of these. */
export const parseTime = (text: string): number | undefined => {
  const ms = EPOCH.test(text)
    ? Number(text)
    : DAY.test(text) || TIME.test(text)
      ? Date.parse(text)
      : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

const DAY_MS = 86_400_000

/** The stored form; undefined: the value is not of this type. */
const storedForm = ({ type, name }: PropertyDefinition, text: string): string | undefined => {
  switch (type) {
    case 'number':
      return NUMBER.test(text) ? text : undefined
    case 'bool':
      return text === 'true' || text === 'false' ? text : undefined
    case 'datetime': {
      const ms = parseTime(text)
      return ms === undefined ? undefined : formatTime(ms)
    }
    case 'date': {
      const ms = parseTime(text)
      // A day has no time: anything but midnight UTC is rejected.
      return ms === undefined || ms % DAY_MS !== 0 ? undefined : formatTime(ms).slice(0, 10)
    }
    default:
      if (name !== 'email') return text
      return EMAIL.test(text) ? text.toLowerCase() : undefined
  }
}

const ERRORS: Readonly<Record<PropertyDefinition['type'], string>> = {
  string: 'INVALID_EMAIL',
  number: 'INVALID_DOUBLE',
  date: 'INVALID_DATE',
  datetime: 'INVALID_DATE',
  bool: 'INVALID_OPTION',
  enumeration: 'INVALID_OPTION',
}

/** The values that an enumeration allows. */
const optionsOf = (
  portal: Portal,
  type: ObjectType,
  { options, externalOptions }: PropertyDefinition,
  properties: JsonObject,
): readonly string[] => {
  const pipelines = pipelinesOf(portal, type.name)
  switch (externalOptions) {
    case 'owner':
      return portal.store
        .list('owner')
        .filter(({ value }) => value.archived !== true)
        .map(({ id }) => id)
    case 'pipeline':
      return pipelines.map(({ id }) => id)
    case 'stage': {
      const pipeline = properties.pipeline ?? properties.hs_pipeline
      return pipelines
        .filter(({ id }) => (pipeline ?? id) === id)
        .flatMap(stagesOf)
        .map(({ id }) => id)
    }
    default:
      return options.map(({ value }) => value)
  }
}

const problemOf = (
  portal: Portal,
  type: ObjectType,
  definition: PropertyDefinition,
  text: string,
  properties: JsonObject,
): ValueProblem | undefined => {
  const { name, label, fieldType } = definition
  if (definition.isReadOnly)
    return {
      name,
      error: 'READ_ONLY_VALUE',
      message: `"${name}" is a read only property; its value cannot be set.`,
    }
  if (text === '') return undefined
  const error = ERRORS[definition.type]
  if (storedForm(definition, text) === undefined)
    return { name, error, message: `${text} was not a valid value of ${label}.` }
  if (definition.type !== 'enumeration') return undefined
  const allowed = optionsOf(portal, type, definition, properties)
  const chosen = fieldType === 'checkbox' ? text.split(';').filter(Boolean) : [text]
  const unknown = chosen.find((value) => !allowed.includes(value))
  return unknown === undefined
    ? undefined
    : {
        name,
        error,
        message: `${unknown} was not one of the allowed options: [${allowed.join(', ')}]`,
      }
}

const detailOf = ({ message, error, name }: ValueProblem): ErrorDetail => ({
  message,
  code: error,
  context: { propertyName: [name] },
})

const refuseValues = (problems: readonly ValueProblem[]): ApiError => {
  const listed = problems.map((problem) => ({ isValid: false, ...problem }))
  return new ApiError({
    message: `Property values were not valid: ${JSON.stringify(listed)}`,
    errors: problems.map(detailOf),
  })
}

/**
 * The values of a write in their stored form; an empty text clears a property.
 * @param before the stored values of the record
 * @throws ApiError naming every property that does not exist, is read-only or does not accept its value
 */
export const acceptValues = (
  portal: Portal,
  type: ObjectType,
  sent: JsonObject,
  before: JsonObject = {},
): JsonObject => {
  const definitions = definitionsOf(portal, type)
  const problems: ValueProblem[] = []
  const accepted: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (value === undefined) continue
    const text = String(value)
    const definition = definitions.get(name)
    if (!definition) {
      const message = `Property "${name}" does not exist`
      problems.push({ name, error: 'PROPERTY_DOESNT_EXIST', message })
      continue
    }
    const problem = problemOf(portal, type, definition, text, { ...before, ...sent })
    if (problem) problems.push(problem)
    else accepted[name] = text === '' ? undefined : storedForm(definition, text)
  }
  if (problems.length > 0) throw refuseValues(problems)
  return accepted
}
