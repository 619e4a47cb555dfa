/** Misbehaving endpoints in their own process, selected by path. Env: PORT. */
import { createServer, type ServerResponse } from 'node:http'

const DRIP_MS = 20

const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/hangs': () => {},
  '/drips': (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), DRIP_MS)
    response.on('close', () => clearInterval(timer))
  },
  '/endless': (response) => {
    response.writeHead(200)
    const writeUntilFull = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', writeUntilFull)
    }
    writeUntilFull()
  },
  '/redirects': (response) =>
    void response.writeHead(301, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
}

createServer((request, response) => {
  request.resume()
  request.on('end', () => behaviours[request.url ?? '']?.(response))
}).listen(Number(process.env.PORT), '127.0.0.1')
process.on('disconnect', () => process.exit())
