/** The pages that end an authorization in the browser. They contain nothing of the request. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 0 auto; padding: 3rem 1.25rem; text-align: center }
h1 { margin: 0 0 .5rem; font-size: 1.5rem }
`

// A browser closes only windows that a script opened; the page stays in others.
const SCRIPT = 'window.close()'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Page {
  readonly status: number
  readonly title: string
  readonly text: string
}

/** The page of each outcome. `unknown`: no authorization of this browser waits for this request. */
const pages = {
  connected: {
    status: 200,
    title: 'Connected',
    text: 'The app is connected. You can close this window.',
  },
  choosing: {
    status: 200,
    title: 'One more step',
    text: 'Close this window and choose the account to connect.',
  },
  denied: {
    status: 200,
    title: 'Not connected',
    text: 'You did not allow the connection. You can close this window.',
  },
  failed: {
    status: 400,
    title: 'Not connected',
    text: 'The app could not be connected. Close this window to see why, and try again.',
  },
  unknown: {
    status: 400,
    title: 'This link is not valid',
    text: 'It has expired, was already used, or was opened in another browser. Close this window and connect the app again.',
  },
} as const satisfies Readonly<Record<string, Page>>

export type PageName = keyof typeof pages

const html = ({ title, text }: Page, closes: boolean): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
    </main>${closes ? `\n    <script>${SCRIPT}</script>` : ''}
  </body>
</html>
`

/** Headers of every response on the way of an authorization. */
export const addAuthorizationHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    // The page that opened the window watches whether it is closed.
    .header('cross-origin-opener-policy', 'unsafe-none')

/** Sends the page of an outcome. It closes its window, unless it reports a failure that is shown nowhere else. */
export const sendPage = (reply: FastifyReply, name: PageName): FastifyReply => {
  const page = pages[name]
  return addAuthorizationHeaders(reply)
    .code(page.status)
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .type('text/html; charset=utf-8')
    .send(html(page, name !== 'unknown'))
}
