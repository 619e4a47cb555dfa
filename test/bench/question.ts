/** The query that every contender answers: a filtered page of 50 full records. */
import { credentialId, INDUSTRIES } from './seed.ts'

export const PAGE_SIZE = 50
/** Excludes four fifths of the records of an industry. An industry has a fifth of all records. */
export const EMPLOYEES_MIN = 100

export interface Question {
  readonly credentialId: string
  readonly industry: string
}

/** Every credential with every industry, so that one cached response is not enough. */
export const listQuestions = (credentials: number): readonly Question[] =>
  INDUSTRIES.flatMap((industry) =>
    Array.from({ length: credentials }, (_, index) => ({
      credentialId: credentialId(index + 1),
      industry,
    })),
  )

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The query in the names of the contract. */
export const restRequest = (
  { credentialId, industry }: Question,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest => {
  const query = new URLSearchParams({
    credentialId,
    industry,
    numberOfEmployeesMin: String(EMPLOYEES_MIN),
    pageSize: String(PAGE_SIZE),
  })
  return { method: 'GET', path: `/2024-03/one/crm/accounts?${query}`, headers }
}

/** A GraphQL operation over HTTP, with variables, as a client library sends it. */
export const graphqlRequest = (
  query: string,
  { credentialId, industry }: Question,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({
    query,
    variables: { credentialId, industry, employeesMin: EMPLOYEES_MIN, first: PAGE_SIZE },
  }),
})
