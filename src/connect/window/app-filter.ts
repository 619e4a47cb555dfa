/** The search in the list of apps. */
import type { ConnectableApp } from '../../generated/sdk-types.ts'

/** What the end user searches for: words, and a category or an empty text for all. */
export interface AppFilter {
  readonly words: string
  readonly category: string
}

/** Lower case without accents, so that "zürich" finds "Zurich". */
const normalize = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Whether an app has the category, and all of the words in its name, its description or the names of its categories.
 * @param nameOf The name of a category in the language of the end user.
 */
export const matchesFilter = (
  { name, description, categories }: ConnectableApp,
  filter: AppFilter,
  nameOf: (category: string) => string,
): boolean => {
  if (filter.category !== '' && !categories.includes(filter.category)) return false
  const text = normalize([name, description, ...categories.map(nameOf)].join(' '))
  return normalize(filter.words)
    .split(/\s+/)
    .every((word) => text.includes(word))
}
