/** An answer is made once for all who ask the same, and what is kept of them has a bound. */
import { expect, test } from 'vitest'
import { createSharedAnswers } from '../../src/api/graphql/answer.ts'
import type { Change } from '../../src/store/changes.ts'

const changeOf = (sequence: bigint, length: number): Change => ({
  position: { epoch: 0n, xid: 1n, sequence },
  environmentId: 'aaaaaaaa-0000-4000-8000-000000000001',
  credentialId: null,
  topic: 'crm/accounts',
  kind: 'updated',
  recordId: null,
  changedFields: [],
  record: 'x'.repeat(length),
  at: new Date(0),
  cause: null,
})

test('the oldest answers are forgotten where their records are too long together, and made again', async () => {
  const answers = createSharedAnswers()
  let made = 0
  const ask = async (change: Change, selection = '{ id }'): Promise<number> => {
    const before = made
    await answers.of({ change, inFilter: true }, selection, async () => {
      made++
      return { data: { made } }
    })
    return made - before
  }
  const [first, second, third] = [1n, 2n, 3n].map((n) => changeOf(n, 25_000_000)) as [
    Change,
    Change,
    Change,
  ]
  expect([await ask(first), await ask(second), await ask(second)]).toEqual([1, 1, 0])
  expect(await ask(third)).toBe(1)
  // Two have room. The first is made anew, in place of the second.
  expect([await ask(third), await ask(first), await ask(first)]).toEqual([0, 1, 0])
  expect([await ask(third), await ask(second)]).toEqual([0, 1])
  // One change that is asked for in many ways fills no more.
  expect(await ask(second, '{ again: id }')).toBe(1)
  expect(await ask(third)).toBe(1)
})
