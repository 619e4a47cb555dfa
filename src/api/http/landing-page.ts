/** The page at `/` for people: what the service is, whether it is ready, and the first steps. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b2230, #e8ebf1);
  --quiet: light-dark(#5b6577, #9aa4b5);
  --line: light-dark(#d8dde6, #343c4b);
  --ground: light-dark(#fff, #171c26);
  --raised: light-dark(#f5f7fa, #1f2632);
  --accent: light-dark(#1f5fd0, #7fadff);
  --bad: light-dark(#b3261e, #ff9d94);
  --good: light-dark(#1a7f4b, #6fd8a2);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem }
h1 { margin: 0; font-size: 1.75rem }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem }
p { margin: .25rem 0 .75rem }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.state { font-weight: 600 }
.ready { color: var(--good) }
.unready { color: var(--bad) }
ul, ol { margin: 0; padding: 0 }
ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .75rem; list-style: none }
ul a { display: block; height: 100%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none }
ul a:hover { background: var(--raised) }
ul span { display: block; color: var(--quiet); font-size: .9rem }
ol { padding-left: 1.4rem }
li + li { margin-top: .5rem }
ul li + li { margin-top: 0 }
pre { margin: .4rem 0 0; padding: .6rem .8rem; overflow-x: auto; border-radius: 8px; background: var(--raised); font-size: .85rem }
`

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Link = readonly [path: string, name: string, description: string]

const DOCUMENTATION: readonly Link[] = [
  ['docs', 'API reference', 'Every REST route, with examples'],
  ['openapi.json', 'OpenAPI document', 'For code generators and other readers'],
  ['schema.graphql', 'GraphQL schema', 'For code generators and editors'],
]

const GRAPHIQL: Link = ['graphql', 'GraphiQL', 'Write and run GraphQL queries']

const CURL = `curl -H "Authorization: Bearer $KEY" \\
  "$URL/2024-03/one/accounting/vendors?credentialId=$ID"`

const DEVELOPMENT_STEPS: readonly string[] = [
  'Paste the <code>export</code> line that the start printed into a shell. It sets <code>URL</code>, <code>KEY</code>, <code>USER_ID</code> and <code>ID</code>.',
  `Read the vendors of the example company:<pre>${CURL}</pre>`,
  'Open the links that the start printed: they fill your key into <a href="graphql">GraphiQL</a> and the <a href="docs">API reference</a>.',
]

const PRODUCTION_STEPS: readonly string[] = [
  'Get an API key from the operator of this service.',
  `Read records, with the address of this service in <code>URL</code>:<pre>${CURL}</pre>`,
  'Follow changes with webhooks or subscriptions: see the <a href="docs">API reference</a>.',
]

export interface LandingPageOptions {
  /** Whether the service runs for development. */
  readonly isDevelopment: boolean
  readonly graphiql: boolean
  /** Whether the service can serve requests now. */
  readonly isReady: () => boolean
}

const page = ({ isDevelopment, graphiql, isReady }: LandingPageOptions): string => {
  const links = [...(graphiql ? [GRAPHIQL] : []), ...DOCUMENTATION]
  const steps = isDevelopment ? DEVELOPMENT_STEPS : PRODUCTION_STEPS
  const state = isReady()
    ? '<span class="state ready">Ready</span>: the service accepts requests.'
    : '<span class="state unready">Not ready</span>: the database does not respond. Reload this page later.'
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>Trunkline</h1>
      <p>One API over the accounting, CRM and commerce apps of your customers.</p>
      <p role="status">${state}</p>
      <ul>
        ${links.map(([path, name, description]) => `<li><a href="${path}">${name}<span>${description}</span></a></li>`).join('\n        ')}
      </ul>
      <h2>Next steps</h2>
      <ol>
        ${steps.map((step) => `<li>${step}</li>`).join('\n        ')}
      </ol>
    </main>
  </body>
</html>
`
}

/** Whether a browser requests the page. Other clients get the error of an unknown URL. */
export const isLandingPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && url.split('?', 1)[0] === '/' && headers.accept?.includes('text/html') === true

/** Sends the page. */
export const sendLandingPage = (reply: FastifyReply, options: LandingPageOptions): FastifyReply =>
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page(options))
