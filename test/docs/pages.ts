/** The README and the pages of docs/, with their code blocks. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** A fenced code block. */
export interface Block {
  /** `docs/querying.md:12`, where the block begins. */
  readonly place: string
  readonly language: string
  readonly text: string
}

export interface Page {
  /** `docs/querying.md` */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

const blocksOf = (path: string, text: string): readonly Block[] =>
  [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    place: `${path}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }))

const readPage = (path: string): Page => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, blocks: blocksOf(path, text) }
}

/** The pages with examples: the README, CONTRIBUTING and docs/. */
export const pages: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map(readPage)

/** @throws Error if there is no such page */
export const pageAt = (path: string): Page => {
  const page = pages.find((page) => page.path === path)
  if (page === undefined) throw new Error(`There is no page ${path}.`)
  return page
}
