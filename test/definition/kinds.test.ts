/** A field kind is one object: a new kind works everywhere, and no kind is spread over other files. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { schemaSource } from '../../codegen/graphql.ts'
import { groupSchemas } from '../../codegen/openapi/group-schemas.ts'
import { parameterComponents } from '../../codegen/openapi/parameters.ts'
import { writeSchemas } from '../../codegen/openapi/record-writes.ts'
import { recordSchemas } from '../../codegen/openapi/schemas.ts'
import { prismaSource } from '../../codegen/prisma.ts'
import { sdkTypesSource } from '../../codegen/sdk-types.ts'
import { createCatalogue } from '../../src/definition/catalogue.ts'
import { defineShape, list, text } from '../../src/definition/field.ts'
import { numericColumn } from '../../src/definition/kinds/column.ts'
import { type Field, fieldOf, type Kind } from '../../src/definition/kinds/kind.ts'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { matchesValue } from '../../src/definition/matching.ts'
import { defineResource, type FilterOf, type RecordOf } from '../../src/definition/resource.ts'
import { groupKeys, measuredFields, parseMeasures } from '../../src/query/aggregate.ts'
import { decodeCursor, encodeCursor, orderFields } from '../../src/query/cursor.ts'
import { parseExactly } from '../../src/query/exact-json.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { readInput } from '../../src/query/input.ts'
import { parseFilter } from '../../src/query/list-request.ts'
import { unmetFields } from '../../src/query/record-filter.ts'
import { inputFieldsOf } from '../../src/query/write-request.ts'
import { filterSql } from '../../src/store/records/filter-sql.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { recordSql } from '../../src/store/records/record-sql.ts'
import { meetsConditions } from '../../src/workflows/match.ts'

const EXPECTED = 'a percentage from 0 to 100'

/** The percentage in `12.5` or `12.5%`. */
const parse = (value: unknown): number | undefined => {
  const share = typeof value === 'string' ? Number(value.replace(/%$/, '')) : value
  return typeof share === 'number' && share >= 0 && share <= 100 ? share : undefined
}

const inputSchema = z.unknown().transform((value, context) => {
  const share = parse(value)
  if (share === undefined) context.addIssue({ code: 'custom', message: EXPECTED })
  return share ?? z.NEVER
})

/** The complete definition of the kind. */
const percentageKind: Kind<number | null, number> = {
  name: 'percentage',
  isScalar: true,
  column: { ...numericColumn, sqlType: 'numeric(5,2)', prismaNative: ' @db.Decimal(5, 2)' },
  expected: EXPECTED,
  normalize: parse,
  input: inputSchema,
  fromText: (share) => share,
  accepts: ['integer', 'json'],
  filter: {
    operators: ['equals', 'min', 'max'],
    input: () => inputSchema.transform((value) => ({ value, isWholeDay: false })),
    sql: { form: 'value', cast: '::numeric' },
    meets: (found, { value }, operator) =>
      (operator === 'max' || Number(found) >= Number(value)) &&
      (operator === 'min' || Number(found) <= Number(value)),
    graphql: { scalar: 'Float' },
    typescript: 'number',
    jsonSchema: () => ({ type: 'number', minimum: 0, maximum: 100 }),
    note: () => 'Of a hundred.',
    example: Number,
  },
  order: { isValue: (share) => parse(share) !== undefined },
  groupedBy: 'value',
  isMeasured: true,
  graphql: { scalar: 'Float' },
  typescript: 'number',
  jsonSchema: () => ({ type: 'number', minimum: 0, maximum: 100 }),
  notes: { typescript: 'Of a hundred.' },
  example: () => 12.5,
}

const percentage = (doc: string): Field<number | null, 'equals' | 'min' | 'max', number> =>
  fieldOf(percentageKind, doc)

const part = defineShape({
  name: 'ScratchPart',
  doc: 'A part.',
  fields: { discount: percentage('Discount on the part.') },
})

const scratch = defineResource({
  name: 'scratch',
  plural: 'scratches',
  category: 'crm',
  doc: 'A scratch record.',
  verbs: ['list', 'get', 'create', 'update'],
  fields: {
    title: text('Its title.'),
    discount: percentage('Discount on all of it.'),
    parts: list(part, 'Its parts.'),
  },
})
const catalogue = createCatalogue([scratch])
const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

describe('a new kind, defined as one object,', () => {
  test('has a column, which SQL shows as JSON', () => {
    expect(recordSql(scratch).columns.find(({ field }) => field === 'discount')).toMatchObject({
      name: 'discount',
      sqlType: 'numeric(5,2)',
      nullable: true,
    })
    expect(recordSql(scratch).document('t.id', ({ name }) => `t.${name}`)).toContain(
      `"discount":' || coalesce(t.discount::text, 'null')`,
    )
    expect(prismaSource([scratch])).toContain('  discount Decimal? @db.Decimal(5, 2)\n')
  })

  test('is normalized, also inside a shape, and reported if a value does not fit', () => {
    const mapping = defineMapping(scratch, {
      remoteId: 'id',
      title: 'title',
      discount: 'discount',
      parts: 'parts',
      remoteCreatedAt: null,
      remoteUpdatedAt: null,
      remoteDeleted: null,
    })
    const parts = [{ discount: '5%' }, { discount: 500 }]
    const { row, problems } = createMapper(mapping)({ id: 1, discount: '12.5%', parts }, CREDENTIAL)
    expect(row).toMatchObject({
      discount: 12.5,
      parts: [{ discount: 5 }, { discount: null }],
    })
    expect(problems).toEqual([{ path: 'parts[1].discount', expected: EXPECTED }])
    expect(createLineWriter(scratch)(row).line).toContain('"discount":12.5,')
  })

  test('is read from input, and rejected with its own message', () => {
    const fields = inputFieldsOf(scratch)
    expect(readInput(fields, { discount: '12.5%', parts: [{ discount: 1 }] })).toEqual({
      discount: 12.5,
      parts: [{ discount: 1 }],
    })
    expect(() => readInput(fields, { discount: 101, parts: [{ discount: 'x' }] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMETER',
        details: [
          { field: 'discount', expected: EXPECTED },
          { field: 'parts[0].discount', expected: EXPECTED },
        ],
      }),
    )
  })

  test('filters and orders lists, in SQL and record by record', () => {
    expect([...filterParameters(scratch).keys()]).toEqual(
      expect.arrayContaining(['discountMin', 'discountMax', 'discountIn', 'discountIsNull']),
    )
    expect(() => parseFilter(scratch, { discountMin: '101' })).toThrow(
      `discountMin: expected ${EXPECTED}.`,
    )
    const filter = parseFilter(scratch, { discountMin: '10%' })
    const { sql, values } = filterSql(scratch, filter, [CREDENTIAL])
    expect([sql, values]).toEqual([' AND t.discount >= ?::numeric AND NOT t.remote_deleted', [10]])
    const listUnmetFields = (discount: number) =>
      unmetFields(
        scratch,
        filter,
        CREDENTIAL,
        parseExactly(JSON.stringify({ id: '', discount, remoteDeleted: false })),
      )
    expect([listUnmetFields(10), listUnmetFields(9.5)]).toEqual([[], [['discount']]])

    const several = parseFilter(scratch, { discountIn: '10%,20', discountIsNull: 'false' })
    expect(filterSql(scratch, several, [CREDENTIAL])).toMatchObject({
      sql: ' AND t.discount = ANY(?::numeric[]) AND t.discount IS NOT NULL AND NOT t.remote_deleted',
      values: [[10, 20]],
    })

    expect(orderFields(scratch)).toContain('discount')
    const order = [{ field: 'discount', isDescending: false }] as const
    const { id } = createMapper(
      defineMapping(scratch, {
        remoteId: 'id',
        title: null,
        discount: null,
        parts: null,
        remoteCreatedAt: null,
        remoteUpdatedAt: null,
        remoteDeleted: null,
      }),
    )({ id: 1 }, CREDENTIAL).row
    const cursor = (value: string) => encodeCursor(order, { values: [value], id })
    expect(decodeCursor(scratch, order, cursor('12.5'), 'cursor')).toEqual({
      values: ['12.5'],
      id,
    })
    expect(() => decodeCursor(scratch, order, cursor('101'), 'cursor')).toThrow(/cursor/)
  })

  test('groups and measures records', () => {
    expect([...groupKeys(scratch).keys()]).toContain('discount')
    expect(measuredFields(scratch)).toEqual(['discount'])
    expect(parseMeasures(scratch, ['avg.discount'])).toEqual([{ of: 'avg', field: 'discount' }])
    const schema = schemaSource(catalogue)
    expect(schema).toMatch(/\ntype CrmScratchMeasures \{[^}]*?\n {2}discount: Decimal\n/s)
    expect(schema).toMatch(/\ntype CrmScratchGroupKey \{[^}]*?\n {2}discount: Float\n/s)
    expect(groupSchemas(catalogue).CrmScratchGroup?.properties).toMatchObject({
      key: {
        properties: { discount: { type: ['number', 'null'], minimum: 0, maximum: 100 } },
      },
    })
  })

  test('is compared after a write, and by workflows', () => {
    const { discount } = scratch.fields
    const by = { credentialId: CREDENTIAL, isSameText: Object.is }
    expect(matchesValue(discount, 12.5, '12.5%', by)).toBe(true)
    expect(matchesValue(discount, 12.5, 13, by)).toBe(false)
    expect(meetsConditions({ discount: 12.5 }, scratch, { discount: 12.5 })).toBe(true)
  })

  test('is in the OpenAPI document', () => {
    const { CrmScratch, ScratchPart } = recordSchemas(catalogue)
    const shown = { type: ['number', 'null'], minimum: 0, maximum: 100 }
    expect(CrmScratch?.properties).toMatchObject({ discount: shown })
    expect(CrmScratch?.examples).toMatchObject([{ discount: 12.5, parts: [{ discount: 12.5 }] }])
    expect(ScratchPart?.properties).toMatchObject({ discount: shown })
    const { CrmScratchInput, ScratchPartInput } = writeSchemas(catalogue)
    expect(CrmScratchInput?.properties).toMatchObject({ discount: shown })
    expect(ScratchPartInput?.properties).toMatchObject({ discount: shown })
    expect(parameterComponents(catalogue)['CrmScratch.discountMin']).toEqual({
      name: 'discountMin',
      in: 'query',
      description: 'Discount on all of it: at least this value. Of a hundred.',
      schema: { type: 'number', minimum: 0, maximum: 100 },
      example: 12.5,
    })
  })

  test('is in the GraphQL schema', () => {
    const schema = schemaSource(catalogue)
    for (const type of ['type CrmScratch', 'type ScratchPart', 'input CrmScratchInput'])
      expect(schema).toMatch(new RegExp(`\n${type}[^}]*?\n  discount: Float\n`, 's'))
    for (const field of ['discountMin: Float', 'discountIn: [Float!]', 'discountIsNull: Boolean'])
      expect(/\ninput CrmScratchFilter[^}]*/.exec(schema)?.[0]).toContain(`\n  ${field}\n`)
    expect(schema).toMatch(/\nenum CrmScratchOrderField[^}]*?\n {2}DISCOUNT\n/s)
  })

  test('is in the types of the SDK and in the static types', () => {
    const types = sdkTypesSource(catalogue)
    expect(types).toContain(
      '  /** Discount on all of it. Of a hundred. */\n  readonly discount: number | null\n',
    )
    expect(types).toContain('  readonly discountMin?: number\n')
    expect(types).toContain('  readonly discountIn?: readonly number[]\n')
    expectTypeOf<RecordOf<typeof scratch>['discount']>().toEqualTypeOf<number | null>()
    expectTypeOf<RecordOf<typeof scratch>['parts'][number]['discount']>().toEqualTypeOf<
      number | null
    >()
    expectTypeOf<FilterOf<typeof scratch>['discountMin']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<FilterOf<typeof scratch>['discountIn']>().toEqualTypeOf<
      readonly number[] | undefined
    >()
    expectTypeOf<FilterOf<typeof scratch>['discountIsNull']>().toEqualTypeOf<boolean | undefined>()
  })
})

test('only the files of the kinds distinguish kinds by name', () => {
  const root = join(import.meta.dirname, '../..')
  const names = globSync('src/definition/kinds/*.ts', { cwd: root }).flatMap(
    (path) => /\n {2,4}name: '(\w+)'/.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? [],
  )
  expect(names).toHaveLength(15)
  const oneOf = names.join('|')
  const byName = new RegExp(`kind(\\.name)? (===|!==) '(${oneOf})'|case '(${oneOf})':`)
  const telling = globSync(['src/**/*.ts', 'codegen/**/*.ts'], { cwd: root }).filter((path) =>
    byName.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(telling).toEqual([])
})
