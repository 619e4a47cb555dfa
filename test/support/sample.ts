/** Sample records made from definitions: every field of every resource has values, and some have none. */
import type { Field, Shape } from '../../src/definition/field.ts'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'

const sampleTime = (n: number): string =>
  new Date(Date.UTC(2024, 0, 1 + (n % 28), n % 24, 0, 0, n)).toISOString()

const sampleObject = (credentialId: string, shape: Shape, n: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(shape.fields).map(([name, field]) => {
      const value = sampleValue(credentialId, name, field, n)
      return [name, field.kind.name === 'number' ? Number(value) : value]
    }),
  )

const sampleValue = (credentialId: string, name: string, field: Field, n: number): unknown => {
  const { name: kind, values = [], shape, reference } = field.kind
  const target = reference?.target ?? ''
  switch (kind) {
    case 'text':
      return `${name} ${n} é"\\'`
    case 'label':
      return 'Billing'
    case 'integer':
      return n
    case 'number':
    case 'decimal':
      return `${n}.50`
    case 'boolean':
      return n % 2 === 0
    case 'timestamp':
      return sampleTime(n)
    case 'date':
      return `${sampleTime(n).slice(0, 10)}T00:00:00.000Z`
    case 'enumeration':
      return values[n % values.length]
    case 'reference':
      return recordId(credentialId, target, String(n))
    case 'references':
      return [recordId(credentialId, target, '1'), recordId(credentialId, target, '2')]
    case 'texts':
      return [`${name} ${n}`]
    case 'list':
      return (
        shape && [sampleObject(credentialId, shape, n), sampleObject(credentialId, shape, n + 1)]
      )
    case 'object':
      return shape && sampleObject(credentialId, shape, n)
    case 'json':
      return { [name]: { n } }
    default:
      throw new TypeError(`${name} has the kind ${kind}, which has no sample value.`)
  }
}

/** Record number `n` (its remote id); every third has no optional values. References point to equal numbers. */
export const sampleRecord = (credentialId: string, resource: Resource, n: number): RecordRow => ({
  ...Object.fromEntries(
    Object.entries(resource.allFields).map(([name, field]) => [
      name,
      n % 3 === 0 ? (field.kind.isList ? [] : null) : sampleValue(credentialId, name, field, n),
    ]),
  ),
  id: recordId(credentialId, resource.topic, String(n)),
  remoteId: String(n),
  remoteDeleted: false,
})
