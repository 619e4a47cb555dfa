/** The README's receiver, run verbatim. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbers, openWebhookHarness, until, type WebhookHarness } from './webhook-harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let harness: WebhookHarness
let child: ChildProcess | undefined
const folder = mkdtempSync(join(tmpdir(), 'trunkline-receiver-'))

beforeAll(async () => {
  harness = await openWebhookHarness()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await harness.close()
  rmSync(folder, { recursive: true })
})

test('the README’s receiver accepts a signed message and rejects one with a foreign signature', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, code = ''] = /```js\n(import [\s\S]+?standardwebhooks[\s\S]+?)```/.exec(readme) ?? []
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeLessThanOrEqual(10)
  // The test changes only the port: a free one, which the receiver reports first.
  const port = '0, function () { console.log(this.address().port) }'
  writeFileSync(join(folder, 'receiver.mjs'), code.replace('8080', port))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const id = await harness.subscribe('http://127.0.0.1/')
  const env = { ...process.env, WEBHOOK_SECRET: await harness.secretOf(id) }
  child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env })
  let printed = ''
  child.stdout?.on('data', (text) => {
    printed += text
  })
  await until(() => /^\d+$/m.test(printed)).toBe(true)
  const address = `http://127.0.0.1:${Number.parseInt(printed, 10)}/`
  await harness.database.prisma.webhookSubscription.update({ where: { id }, data: { address } })
  await harness.deliver()
  await harness.change(numbers(3))
  await until(() => printed.match(/^msg_\S+ crm\/accounts created$/gm)?.length).toBe(3)
  const body = '{"type":"crm/accounts"}'
  const at = new Date()
  const forger = new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`)
  const headers = {
    'webhook-id': 'msg_forged',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': forger.sign('msg_forged', at, body),
  }
  const answer = await fetch(address, { method: 'POST', headers, body })
  expect(answer.status).toBe(400)
  expect(printed).not.toContain('msg_forged')
})
