/** The pages of an authorization in the browser. Those that end it contain nothing of the request. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 0 auto; padding: 3rem 1.25rem; text-align: center }
h1 { margin: 0 0 .5rem; font-size: 1.5rem }
form { text-align: left }
label, small { display: block }
label { margin-top: 1rem; font-weight: 600 }
small { font-weight: 400 }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit }
[role="alert"] { font-weight: 600 }
button { margin: 1.5rem .75rem 0 0; padding: .6rem 2rem; font: inherit }
`

// A browser closes only windows that a script opened; the page stays in others.
const SCRIPT = 'window.close()'

const policyOf = (formAction: "'none'" | "'self'"): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')
const POLICY = policyOf("'none'")
const FORM_POLICY = policyOf("'self'")

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

const html = (title: string, content: string, closes: boolean): string => `<!doctype html>
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
${content}
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

const sendHtml = (
  reply: FastifyReply,
  status: number,
  policy: string,
  page: string,
): FastifyReply =>
  addAuthorizationHeaders(reply)
    .code(status)
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(page)

/** Sends the page of an outcome. It closes its window, unless it reports a failure that is shown nowhere else. */
export const sendPage = (reply: FastifyReply, name: PageName): FastifyReply => {
  const { status, title, text } = pages[name]
  return sendHtml(reply, status, POLICY, html(title, `      <p>${text}</p>`, name !== 'unknown'))
}

/** Sends a page with a form that is submitted to this service. @param content HTML */
export const sendFormPage = (
  reply: FastifyReply,
  status: number,
  title: string,
  content: string,
): FastifyReply => sendHtml(reply, status, FORM_POLICY, html(title, content, false))
