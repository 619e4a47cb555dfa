/** The load generator in its own process: a closed loop over keep-alive connections, target by target. */
import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { cpuMsOf, difference } from './cpu.ts'
import type { LoadMessage, LoadPlan, LoadRequest, LoadTarget, Turn } from './load-plan.ts'

const report = (message: LoadMessage): void => {
  process.send?.(message)
}

/** Sends one request and discards the response after counting it. @returns latency in ms */
const timeRequest = (client: Client, { expectedBytes, ...request }: LoadRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let status = 0
    let bytes = 0
    client.dispatch(
      { ...request, body: request.body ?? null },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, statusCode) => {
          status = statusCode
        },
        onResponseData: (_controller, chunk) => {
          bytes += chunk.length
        },
        onResponseEnd: () => {
          if (status === 200 && bytes === expectedBytes) resolve(performance.now() - startedAt)
          else
            reject(
              new Error(`${request.path}: ${status}, ${bytes} bytes, expected ${expectedBytes}.`),
            )
        },
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

/** Sends requests for `ms` on every connection. @returns the latencies of the responses within that time */
const sendDuring = async (
  clients: readonly Client[],
  target: LoadTarget,
  ms: number,
): Promise<number[]> => {
  const end = performance.now() + ms
  const latencies: number[] = []
  let next = 0
  const sendRepeatedly = async (client: Client): Promise<void> => {
    for (let now = performance.now(); now < end; now = performance.now()) {
      const request = target.requests[next++ % target.requests.length]
      if (request === undefined) throw new Error(`${target.name} has no requests.`)
      latencies.push(await timeRequest(client, request))
    }
  }
  await Promise.all(clients.map(sendRepeatedly))
  return latencies
}

const takeTurn = async (
  { connections, rampMs, turnMs, postgresPid }: LoadPlan,
  target: LoadTarget,
  round: number,
): Promise<Turn> => {
  const clients = Array.from({ length: connections }, () => new Client(target.origin))
  try {
    await sendDuring(clients, target, rampMs)
    const cpu = { server: cpuMsOf(target.serverPid), postgres: cpuMsOf(postgresPid) }
    const startedAt = performance.now()
    const latenciesMs = await sendDuring(clients, target, turnMs)
    const seconds = (performance.now() - startedAt) / 1000
    return {
      target: target.name,
      round,
      requests: latenciesMs.length,
      seconds,
      latenciesMs,
      serverCpuMs: difference(cpu.server, cpuMsOf(target.serverPid)),
      postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgresPid)),
    }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()))
  }
}

const runPlan = async (plan: LoadPlan): Promise<void> => {
  const warmUp = { ...plan, rampMs: 0, turnMs: plan.warmUpMs }
  for (const target of plan.targets) await takeTurn(warmUp, target, 0)
  for (let round = 1; round <= plan.rounds; round++)
    for (const target of plan.targets)
      report({ kind: 'turn', turn: await takeTurn(plan, target, round) })
}

process.once('message', (plan: LoadPlan) => {
  runPlan(plan).then(
    () => report({ kind: 'done' }),
    (error: unknown) =>
      report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit())
