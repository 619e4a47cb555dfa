/** The simulators as processes of their own. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const SCRIPT = `${import.meta.dirname}/serve.ts`

test.each<[string, string, (account: string) => string]>([
  ['quickbooks', 'GET', (account) => `/v3/company/${account}/preferences`],
  ['hubspot', 'GET', () => '/crm/objects/2026-03/contacts'],
  ['shopify', 'POST', (shop) => `/${shop}/admin/api/2026-07/graphql.json`],
])(
  'the simulator %s listens, serves its records and stops on SIGTERM',
  async (profile, method, pathOf) => {
    const child = spawn(process.execPath, [SCRIPT, profile, '--records', '2', '--unlimited'])
    const exit = once(child, 'exit')
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url, accounts } = JSON.parse(line)
    expect(accounts).toHaveLength(1)
    const { status } = await fetch(`${url}${pathOf(accounts[0].id)}`, {
      method,
      headers: { accept: 'application/json' },
    })
    expect(status).toBe(401)
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  },
)

test('a missing profile is reported', async () => {
  const child = spawn(process.execPath, [SCRIPT])
  const text: string[] = []
  child.stderr.on('data', (chunk) => text.push(String(chunk)))
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(text.join('')).toContain('Name a profile')
})
