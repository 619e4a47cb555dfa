/** Checks the API against its rules and the last release. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { buildSchema } from 'graphql'
import { graphqlBreaks, restBreaks, withoutDescriptions } from './api/breaks.ts'
import { type OpenApi, restFacts } from './api/rest-facts.ts'
import { checkSchema } from './api/schema-rules.ts'

const USAGE = `Usage: npm run api <command>
  check      report what the GraphQL schema does against its rules, and the changes of GraphQL and REST that break
             clients of the last release; exit with 1 if there are any
  release    make the API of now the last release, with no accepted changes`

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = (path: string): Promise<string> => readFile(pathOf(path), 'utf8')

const SCHEMA = 'src/generated/schema.graphql'
const DOCUMENT = 'src/generated/openapi.json'
const RELEASED_SCHEMA = 'released/schema.graphql'
const RELEASED_REST = 'released/rest.txt'
const ACCEPTED = 'released/accepted-breaks.txt'
const ACCEPTED_HEAD = `# Changes that break clients of the last release, one a line, as npm run -s check:api reports them.
# Only before the first release of the API: see docs/versioning.md. npm run api release empties the list.
`

const readDocument = async (): Promise<OpenApi> =>
  // codegen.ts wrote it.
  JSON.parse(await read(DOCUMENT)) as OpenApi

const findBreaks = async (schema: string): Promise<readonly string[]> => [
  ...graphqlBreaks(await read(RELEASED_SCHEMA), schema),
  ...restBreaks(await read(RELEASED_REST), await readDocument()),
]

const check = async (): Promise<readonly string[]> => {
  const schema = await read(SCHEMA)
  const breaks = await findBreaks(schema)
  const lines = (await read(ACCEPTED)).split('\n')
  const accepted = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return [
    ...checkSchema(buildSchema(schema)),
    ...breaks
      .filter((line) => !accepted.includes(line))
      .map((line) => `${line} It breaks clients of the last release; see docs/versioning.md.`),
    ...accepted
      .filter((line) => !breaks.includes(line))
      .map((line) => `${ACCEPTED}: remove the line "${line}", because nothing has changed.`),
  ]
}

const release = async (): Promise<void> => {
  await mkdir(pathOf('released'), { recursive: true })
  await writeFile(pathOf(RELEASED_SCHEMA), withoutDescriptions(await read(SCHEMA)))
  const facts = [...restFacts(await readDocument())].toSorted()
  await writeFile(pathOf(RELEASED_REST), `${facts.join('\n')}\n`)
  await writeFile(pathOf(ACCEPTED), ACCEPTED_HEAD)
}

const [command] = process.argv.slice(2)
if (command === 'check') {
  const problems = await check()
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
} else if (command === 'release') await release()
else {
  console.error(USAGE)
  process.exitCode = 1
}
