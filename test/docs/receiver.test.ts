/** The receiver of the page of webhooks, run as the page says. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  numbers,
  openWebhookHarness,
  until,
  type WebhookHarness,
} from '../delivery/webhook-harness.ts'
import { pageAt, ROOT } from './pages.ts'

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

test('the receiver accepts a signed message and rejects one with a foreign signature', async () => {
  const { blocks } = pageAt('docs/webhooks.md')
  const code = blocks.find(({ language }) => language === 'js')?.text ?? ''
  const commands = blocks.find(({ text }) => text.includes('node receiver.mjs'))?.text ?? ''
  const [setUp, run = ''] = commands.trim().split('\n')
  expect(setUp).toBe('npm init -y && npm install standardwebhooks')
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeLessThanOrEqual(10)
  // The test changes only the port, to a free one that the receiver reports first, and installs from this repository.
  const port = '0, function () { console.log(this.address().port) }'
  writeFileSync(join(folder, 'receiver.mjs'), code.replace('8080', port))
  execFileSync('npm', ['init', '-y'], { cwd: folder })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const id = await harness.subscribe('http://127.0.0.1/')
  const command = run.replace('whsec_…', await harness.secretOf(id))
  child = spawn('bash', ['-c', `exec env ${command}`], { cwd: folder })
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
  const response = await fetch(address, { method: 'POST', headers, body })
  expect(response.status).toBe(400)
  expect(printed).not.toContain('msg_forged')
})
