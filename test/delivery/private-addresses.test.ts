/** ALLOW_PRIVATE_ADDRESSES is not switched on unnoticed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostOffice, type PostOffice } from './post-office.ts'

let office: PostOffice
beforeAll(async () => {
  office = await openPostOffice()
})
afterAll(() => office.close())

test('whoever sends to private addresses says so in the log when it starts, and nobody else does', async () => {
  const warnings = () => office.log.lines.filter((line) => line.includes('ALLOW_PRIVATE_ADDRESSES'))
  await office.deliver({ allowPrivateAddresses: false })
  expect(warnings()).toEqual([])
  await office.deliver({ allowPrivateAddresses: true })
  expect(warnings()).toEqual([expect.stringMatching(/^warn /)])
})
