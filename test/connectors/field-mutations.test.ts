/** The renaming of field names, with a connector of a few lines. */
import { expect, test } from 'vitest'
import { describeReport, type FieldCase, mutateFields, type Traffic } from './field-mutations.ts'

/** An app with one record, which accepts only the names that it knows. */
const run = async ({ received, sent }: Traffic): Promise<unknown> => {
  const { path } = sent({ method: 'GET', path: '/find?filter=city+is+Rome' })
  if (!path.includes('filter=city+')) throw new Error('unknown filter')
  const record = received({ list: [{ id: '1', city: 'Rome', size: 3, note: 'unread' }] }).list[0]
  const { body } = sent({
    method: 'POST',
    path: '/write',
    body: { title: 'x', only: 'city' },
  })
  const { title, only } = Object(body)
  if (title === undefined || only !== 'city') throw new Error('unknown field')
  return { town: record?.city ?? null, size: record?.size ?? null, id: record?.id }
}

const createCase = (check: (outcome: unknown) => void): FieldCase => ({
  name: 'a case',
  run,
  check,
})

test('every name that a case checks is caught, and names that nobody reads do not count', async () => {
  const strict = createCase((outcome) =>
    expect(outcome).toEqual({ town: 'Rome', size: 3, id: '1' }),
  )
  // list, id, city and size; title and only; city as a text and in the query
  expect(await mutateFields([strict])).toEqual({ caught: 8, missed: [], share: 1 })
})

test('a name that no case checks is missed', async () => {
  const lenient = createCase((outcome) => expect(outcome).toMatchObject({ town: 'Rome', id: '1' }))
  const report = await mutateFields([lenient])
  expect(report).toEqual({ caught: 7, missed: ['received list[].size'], share: 7 / 8 })
  expect(describeReport(report)).toContain('7 of 8 renamed fields are noticed (87.5 %)')
})

test('a name of the contract that the source has, but no case passes, is missed', async () => {
  const lenient = createCase(() => undefined)
  const folder = new URL('./', import.meta.url)
  const names = ['mutateFields', 'describeReport', 'city']
  const { missed } = await mutateFields([lenient], { folder, names, except: ['describeReport'] })
  expect(missed).toContain('never passed mutateFields')
  expect(missed.filter((name) => name.startsWith('never passed'))).toHaveLength(1)
})

test('a case that fails without a mutation is an error', async () => {
  const wrong = createCase((outcome) => expect(outcome).toEqual({}))
  await expect(mutateFields([wrong])).rejects.toThrow()
})
