/** The README's receiver, run as it stands there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbers, openPostOffice, type PostOffice, until } from './post-office.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let office: PostOffice
let child: ChildProcess | undefined
const folder = mkdtempSync(join(tmpdir(), 'trunkline-receiver-'))

beforeAll(async () => {
  office = await openPostOffice()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await office.close()
  rmSync(folder, { recursive: true })
})

test('the receiver of the README takes what is sent, and refuses what another signed', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, code = ''] = /```js\n(import [\s\S]+?standardwebhooks[\s\S]+?)```/.exec(readme) ?? []
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeLessThanOrEqual(10)
  // The port is all that the test changes: a free one, which the receiver tells first.
  const port = '0, function () { console.log(this.address().port) }'
  writeFileSync(join(folder, 'receiver.mjs'), code.replace('8080', port))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const id = await office.subscribe('http://127.0.0.1/')
  const env = { ...process.env, WEBHOOK_SECRET: await office.secretOf(id) }
  child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env })
  let printed = ''
  child.stdout?.on('data', (text) => {
    printed += text
  })
  await until(() => /^\d+$/m.test(printed)).toBe(true)
  const address = `http://127.0.0.1:${Number.parseInt(printed, 10)}/`
  await office.database.prisma.webhookSubscription.update({ where: { id }, data: { address } })
  await office.deliver()
  await office.change(numbers(3))
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
