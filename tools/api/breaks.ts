/** The changes of the API that break clients of the last release. */
import { buildSchema, findBreakingChanges, parse, print, visit } from 'graphql'
import { type OpenApi, restFacts } from './rest-facts.ts'

/** A GraphQL schema without its descriptions, which break no client. */
export const withoutDescriptions = (sdl: string): string =>
  `${print(
    visit(parse(sdl, { noLocation: true }), {
      enter: (node) =>
        'description' in node && node.description ? { ...node, description: undefined } : undefined,
    }),
  )}\n`

/** The changes from one schema to another that break clients, as sentences. */
export const graphqlBreaks = (released: string, current: string): readonly string[] =>
  findBreakingChanges(buildSchema(released), buildSchema(current)).map(
    ({ description }) => `GraphQL: ${description}`,
  )

/** The changes that break clients of REST. `released`: the facts of the released document, one a line. */
export const restBreaks = (released: string, current: OpenApi): readonly string[] => {
  const before = new Set(released.split('\n').filter(Boolean))
  const after = restFacts(current)
  const isNew = (fact: string): boolean => !before.has(fact)
  return [
    ...[...before]
      .filter((fact) => !after.has(fact) && !isRequirement(fact))
      .map((fact) => `REST: ${fact} was removed or changed.`),
    ...[...after]
      .filter((fact) => isNew(fact) && isRequirement(fact) && before.has(ownerOf(fact)))
      .map((fact) => `REST: ${fact}, which was optional or did not exist.`),
  ]
}

const REQUIRES = ' requires '
const isRequirement = (fact: string): boolean => fact.includes(REQUIRES)
const ownerOf = (fact: string): string => fact.slice(0, fact.indexOf(REQUIRES))
