/** GraphiQL: one page, loaded when it is first requested, because its package is large and may be missing. */
import type { GraphiQLOptions } from 'graphql-yoga'
import { isNotInstalled } from '../../package-json.ts'
import { missingPage } from '../http/missing-page.ts'
import { type Prefill, READ_KEY } from '../http/prefill.ts'

const PACKAGE = '@graphql-yoga/render-graphiql'

const ENTER_KEY = `# Enter your API key under Headers, below: { "Authorization": "Bearer tl_dev_…" }
`
const ENTER_CREDENTIAL = `# and replace … with the id of a credential.
`

const exampleQuery = (credentialId: string | undefined): string => `${ENTER_KEY}${
  credentialId === undefined ? ENTER_CREDENTIAL : ''
}query Example {
  crmAccounts(credentialId: "${credentialId ?? '…'}", first: 10) {
    totalCount
    nodes {
      id
      accountName
      contacts(first: 3) {
        nodes {
          firstName
          lastName
        }
      }
    }
  }
}
`

/** The page with a script that fills the key of the URL into Headers, for the first tab and for new ones. */
const fillInKey = (html: string, options: GraphiQLOptions): string => {
  const json = JSON.stringify(options)
  const withKey = `((key) => {
    const headers = key && JSON.stringify({ Authorization: \`Bearer \${key}\` }, null, 2)
    return { ...${json}, ...(headers && { headers, initialHeaders: headers }) }
  })(${READ_KEY})`
  return html.replace(json, () => withKey)
}

const render = async (options: GraphiQLOptions, prefill: Prefill | undefined): Promise<string> => {
  try {
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
    const html = renderGraphiQL(options)
    return prefill === undefined ? html : fillInKey(html, options)
  } catch (error) {
    if (!isNotInstalled(error, PACKAGE)) throw error
    return missingPage('GraphiQL', PACKAGE, 'Any GraphQL client works at this address.')
  }
}

/** Yoga's options for GraphiQL. */
export const createGraphiQL = (isServed: boolean, prefill: Prefill | undefined) => ({
  graphiql: isServed && {
    title: 'Trunkline',
    defaultQuery: exampleQuery(prefill?.credentialId),
    // By default the keys of the headers stay in the browser's storage.
    shouldPersistHeaders: false,
  },
  renderGraphiQL: (options: GraphiQLOptions = {}) => render(options, prefill),
})
