/** Names in code as the words that people read. */

const INITIALISMS: ReadonlySet<string> = new Set(['api', 'id', 'ids', 'ip', 'sku', 'uri', 'url'])

const isInitialism = (word: string): boolean => INITIALISMS.has(word.toLowerCase())

const inCapitals = (word: string): string =>
  word.toLowerCase() === 'ids' ? 'IDs' : word.toUpperCase()

/** The label of a name in camelCase: `apiKey` becomes "API key", `shopUrl` "Shop URL". */
export const toLabel = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .split(' ')
    .map((word, index) => {
      if (isInitialism(word)) return inCapitals(word)
      return index === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word.toLowerCase()
    })
    .join(' ')
