/** What GraphiQL and the API reference fill in during development, so that their first request succeeds. */

export interface Prefill {
  /** A credential that exists, for the examples; undefined: there is none. */
  readonly credentialId: string | undefined
}

/**
 * A script expression: the development key of the page's URL (`#key=tl_dev_…`), or undefined. The fragment is
 * not sent to the server; it is removed from the address bar, and the key is kept until the tab is closed.
 */
export const READ_KEY = `(() => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) {
    history.replaceState(history.state, '', location.pathname + location.search)
    if (/^tl_dev_[0-9a-f]{48}$/.test(key)) sessionStorage.setItem('trunkline-key', key)
  }
  return sessionStorage.getItem('trunkline-key') ?? undefined
})()`
