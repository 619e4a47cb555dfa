/**
 * The baseline of webhook delivery: a loop of undici POSTs with fixed concurrency and no state. It waits for a
 * message, so that its start is not measured. Env: ADDRESS, COUNT, CONCURRENCY, BODY.
 */
import { Agent, request } from 'undici'

const { ADDRESS: address = '', BODY: body = '' } = process.env
const dispatcher = new Agent({ connections: Number(process.env.CONCURRENCY) })
let remaining = Number(process.env.COUNT)

const send = async (): Promise<void> => {
  while (remaining-- > 0) {
    const headers = { 'content-type': 'application/json' }
    const response = await request(address, { method: 'POST', headers, body, dispatcher })
    await response.body.dump()
  }
}

process.once('message', async () => {
  await Promise.all(Array.from({ length: Number(process.env.CONCURRENCY) }, send))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
