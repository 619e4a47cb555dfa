/** The REST paths of a resource with a parent. */
import { expect, test } from 'vitest'
import { resourcePaths } from '../../src/api/rest/paths.ts'
import { reference, text } from '../../src/definition/field.ts'
import { defineResource } from '../../src/definition/resource.ts'

const defineShelf = (parent: 'room' | 'libraryId') =>
  defineResource({
    name: 'shelf',
    plural: 'shelves',
    category: 'commerce',
    doc: 'What books stand on.',
    verbs: ['list'],
    fields: {
      room: text('Where it stands.'),
      libraryId: reference('commerce/libraries', 'Whose it is.'),
    },
    parent,
  })

test('are at a path of their own, and below their parent', () => {
  expect(resourcePaths(defineShelf('libraryId')).map(({ path }) => path)).toEqual([
    '/2024-03/one/commerce/shelves',
    '/2024-03/one/commerce/libraries/:libraryId/shelves',
  ])
})

test('a parent that is not a reference is rejected by name', () => {
  expect(() => resourcePaths(defineShelf('room'))).toThrow(
    'commerce/shelves: the parent room is not a reference field of the resource.',
  )
})
