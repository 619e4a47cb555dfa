/** The texts of the Connect UI: each language is complete, and the end user's is chosen. */
import { describe, expect, test } from 'vitest'
import { strings as de } from '../../src/connect/window/strings/de.ts'
import { strings as en, type Message } from '../../src/connect/window/strings/en.ts'
import { strings as es } from '../../src/connect/window/strings/es.ts'
import { strings as fr } from '../../src/connect/window/strings/fr.ts'
import { strings as ja } from '../../src/connect/window/strings/ja.ts'
import { chooseLanguage, LANGUAGES } from '../../src/connect/window/strings/languages.ts'
import { strings as ptBr } from '../../src/connect/window/strings/pt-br.ts'
import { createTexts, loadTexts } from '../../src/connect/window/strings/texts.ts'
import { catalogue } from '../../src/generated/catalogue.ts'

const all = { en, de, fr, es, 'pt-BR': ptBr, ja }

const formsOf = (message: Message): Readonly<Record<string, string>> =>
  typeof message === 'string' ? { other: message } : message
const placeholdersOf = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()

test.each(LANGUAGES)('%s has every text, with the same placeholders', (language) => {
  const strings: Readonly<Record<string, Message>> = all[language]
  expect(Object.keys(strings)).toEqual(Object.keys(en))
  for (const [key, message] of Object.entries(en)) {
    const forms = formsOf(strings[key] ?? '')
    for (const form of Object.values(forms))
      expect(placeholdersOf(form), key).toEqual(placeholdersOf(formsOf(message).other ?? ''))
    expect(
      Object.values(forms).every((form) => form.trim() !== ''),
      key,
    ).toBe(true)
  }
})

test.each(LANGUAGES)('%s has the plural forms of its language', (language) => {
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
  for (const [key, message] of Object.entries<Message>(all[language])) {
    expect(typeof message, key).toBe(typeof en[key as keyof typeof en])
    if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual(categories)
  }
})

test('every resource and category has a name', () => {
  const names = catalogue.resources.flatMap(({ topic, category }) => [
    topic,
    `category.${category}`,
  ])
  expect(names.filter((name) => !Object.hasOwn(en, name))).toEqual([])
})

describe('the language', () => {
  test.each([
    [['de'], 'de', 'de'],
    [['de-AT', 'fr'], 'de', 'de-AT'],
    [['it', 'fr-CA'], 'fr', 'fr-CA'],
    [['pt', 'en'], 'pt-BR', 'pt'],
    [['PT_br'], 'pt-BR', 'pt-BR'],
    [['', '?', 'x', 'ja-JP'], 'ja', 'ja-JP'],
    [['zh', 'it'], 'en', 'en'],
    [[], 'en', 'en'],
  ] as const)('of %j is %s', (requested, language, locale) => {
    expect(chooseLanguage(requested)).toEqual({ language, locale })
  })

  test('numbers, dates, lists and plural forms are those of the locale', async () => {
    const german = await loadTexts(['de-AT'])
    expect(german.text('records', { count: 1204 })).toBe('1\u00a0204 Datensätze')
    expect(german.text('records', { count: 12_041 })).toBe('12\u00a0041 Datensätze')
    expect(german.text('records', { count: 1 })).toBe('1 Datensatz')
    expect(german.date('2026-06-03T12:00:00.000Z')).toBe('3. Juni 2026')
    expect(german.list(['Äpfel', 'Zitronen', 'Birnen'])).toBe('Äpfel, Birnen und Zitronen')
    const french = createTexts(fr, 'fr', 'fr')
    expect(french.text('records', { count: 0 })).toBe('0 enregistrement')
    expect(french.text('records', { count: 1_000_000 })).toMatch(/d'enregistrements$/)
    expect(french.name('crm/leads')).toBe('Prospects')
    expect(french.name('crm/unknown')).toBe('crm/unknown')
  })

  test('a value is never read as a placeholder or a pattern of replacement', () => {
    const texts = createTexts(en, 'en', 'en')
    const values = { account: '{time} $& $1', date: 'd', state: 's' }
    expect(texts.text('install.option', values)).toBe('{time} $& $1, connected d · s')
  })
})
