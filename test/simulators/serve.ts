/**
 * Runs a simulator as a process: `node test/simulators/serve.ts quickbooks --port 8090`. It prints one line of JSON
 * when it listens, sends webhooks by itself, and stops at SIGTERM or SIGINT with status 1 if it has defects.
 */
import { parseArgs } from 'node:util'
import type { ListeningSimulator, ListenOptions } from './engine/listen.ts'

/** What `test/simulators/<profile>/start.ts` exports as `start`. */
export interface StartOptions extends ListenOptions {
  /** How many records of each main type the first account has. Default: 0. */
  readonly records?: number
}

interface Profile {
  start(options: StartOptions): Promise<ListeningSimulator>
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    records: { type: 'string', default: '0' },
    'client-id': { type: 'string', default: 'client-id' },
    'client-secret': { type: 'string', default: 'client-secret' },
    'redirect-uri': { type: 'string', multiple: true, default: [] },
    'webhook-url': { type: 'string' },
    'webhook-secret': { type: 'string', default: 'webhook-secret' },
    unlimited: { type: 'boolean', default: false },
  },
})

const [name] = positionals
if (name === undefined) throw new Error('Name a profile: node test/simulators/serve.ts quickbooks')
// Each folder beside this file that has start.ts exports it.
const { start } = (await import(`./${name}/start.ts`)) as Profile

const simulator = await start({
  port: Number(values.port),
  records: Number(values.records),
  webhookIntervalMs: 100,
  limited: !values.unlimited,
  clients: [
    {
      clientId: values['client-id'],
      clientSecret: values['client-secret'],
      redirectUris: values['redirect-uri'],
    },
  ],
})
if (values['webhook-url'] !== undefined)
  simulator.webhooks.subscribe({
    id: 'command-line',
    url: values['webhook-url'],
    secret: values['webhook-secret'],
  })

const stop = (): void => {
  simulator.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}
process.once('SIGTERM', stop).once('SIGINT', stop)

const accounts = simulator.accounts.list().map(({ id, name: label }) => ({ id, name: label }))
console.log(JSON.stringify({ url: simulator.url, accounts }))
