/** The texts of the Connect UI in the language of the end user, with its numbers, dates and lists. */
import { strings as english, type Message, type Strings } from './en.ts'
import { chooseLanguage, type Language } from './languages.ts'

const loaders: Readonly<Record<Language, () => Promise<{ readonly strings: Strings }>>> = {
  en: async () => ({ strings: english }),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  'pt-BR': () => import('./pt-br.ts'),
  ja: () => import('./ja.ts'),
}

type PlaceholdersOf<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersOf<Rest>
  : never
type English = typeof english
type FormsOf<Text> = Text extends string ? Text : Text[keyof Text]
type Values<Key extends TextKey> = Readonly<
  Record<PlaceholdersOf<FormsOf<English[Key]>>, string | number>
>

/** The key of a text. */
export type TextKey = keyof English

/** Texts of one language. */
export interface Texts {
  /** BCP 47 tag of the language that the texts are in. */
  readonly language: Language
  /** A text with its placeholders replaced; numbers are formatted. The plural form is that of `count`. */
  text<Key extends TextKey>(
    key: Key,
    ...values: keyof Values<Key> extends never ? [] : [Values<Key>]
  ): string
  /** The text of a key that may not exist, such as the topic of a resource; the key itself if it does not. */
  name(key: string): string
  /** "June 3, 2026" */
  date(time: string): string
  /** "Jun 3, 2026, 5:04:10 PM" */
  time(time: string): string
  /** "Bills, Customers, and Invoices", in alphabetical order */
  list(items: readonly string[]): string
}

const isKey = (key: string): key is TextKey => Object.hasOwn(english, key)

/** Texts from the strings of a language, formatted for a locale of it. */
export const createTexts = (strings: Strings, language: Language, locale: string): Texts => {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' })
  const compare = new Intl.Collator(locale).compare

  const formOf = (message: Message, count: unknown): string =>
    typeof message === 'string'
      ? message
      : (message[plurals.select(Number(count))] ?? message.other)
  const fill = (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string =>
    formOf(strings[key], values.count).replaceAll(/\{(\w{1,40})\}/g, (_, name: string) => {
      const value = values[name] ?? ''
      return typeof value === 'number' ? numbers.format(value) : value
    })
  return {
    language,
    text: (key, ...[values]) => fill(key, values),
    name: (key) => (isKey(key) ? fill(key) : key),
    date: (time) => dates.format(new Date(time)),
    time: (time) => times.format(new Date(time)),
    list: (items) => lists.format(items.toSorted(compare)),
  }
}

/** Loads the texts in the first of the requested locales that there are texts for, else in English. */
export const loadTexts = async (requested: readonly string[]): Promise<Texts> => {
  const { language, locale } = chooseLanguage(requested)
  // Without its strings, the Connect UI works in English.
  const loaded = await loaders[language]().catch(() => undefined)
  return loaded ? createTexts(loaded.strings, language, locale) : createTexts(english, 'en', 'en')
}
