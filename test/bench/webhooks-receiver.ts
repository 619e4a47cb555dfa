/**
 * An endpoint in its own process. `POST /*` is a message; `GET /reset` starts over, and `GET /await?count=n`
 * returns, once that many have arrived, the latency of each: from its `timestamp`, the start
 * of the transaction that wrote the change, to its last byte. Env: PORT.
 */
import { createServer, type ServerResponse } from 'node:http'

let latenciesMs: number[] = []
let waiting: { readonly count: number; readonly response: ServerResponse } | undefined

const TIMESTAMP = /"timestamp":"([^"]+)"/

const report = (): void => {
  if (waiting === undefined || latenciesMs.length < waiting.count) return
  waiting.response.end(JSON.stringify(latenciesMs))
  waiting = undefined
}

createServer((request, response) => {
  if (request.method === 'GET') {
    const url = new URL(request.url ?? '', 'http://receiver')
    if (url.pathname === '/reset') {
      latenciesMs = []
      response.end()
    } else {
      waiting = { count: Number(url.searchParams.get('count')), response }
      report()
    }
    return
  }
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    const [, timestamp = ''] = TIMESTAMP.exec(body) ?? []
    latenciesMs.push(Date.now() - Date.parse(timestamp))
    response.writeHead(204).end()
    report()
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
process.on('disconnect', () => process.exit())
