/** The languages of the Connect UI, and the choice of one. */

/** BCP 47 tags of the languages that there are texts for. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

/** A language, and the locale of it that numbers and dates are formatted for: `de` and `de-AT`. */
export interface ChosenLanguage {
  readonly language: Language
  readonly locale: string
}

/** The locale in its canonical form, also written as `de_AT`; undefined if it is none. */
const parse = (tag: string): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'))
  } catch {
    return undefined
  }
}

/**
 * The first of the requested locales whose language there are texts for, else English. Texts of another region are
 * better than those of another language: `pt` and `pt-PT` are shown in Brazilian Portuguese.
 */
export const chooseLanguage = (requested: readonly string[]): ChosenLanguage => {
  for (const tag of requested) {
    const locale = parse(tag)
    const language = LANGUAGES.find((one) => new Intl.Locale(one).language === locale?.language)
    if (locale && language) return { language, locale: locale.toString() }
  }
  return { language: 'en', locale: 'en' }
}
