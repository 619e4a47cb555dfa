/** Fixtures shared by the HubSpot connector tests that run without a simulator. */
import { connector } from '../../../src/connectors/hubspot/manifest.ts'
import type { AppRequest, AppResponse } from '../../../src/definition/connector.ts'
import { ATTEMPT } from '../../support/steps.ts'

/** A response with this body. */
export const okResponse = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

/** The definition of `crm/{name}`. */
export const findResource = (name: string) => {
  const found = connector.resources[`crm/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

const stages = {
  won1: { pipeline: 'default', status: 'won' },
  lost1: { pipeline: 'default', status: 'lost' },
  first2: { pipeline: 'renewals', status: 'open' },
}

/** The settings of an account. */
export const context = {
  currency: 'EUR',
  timeZone: 'US/Eastern',
  owners: { '7': 'Ada Byron', '8': 'Emmy Noether', '9': 'Emmy Noether' },
  stages,
  properties: { contacts: ['tier'], deals: [] },
}

export const attempt = { ...ATTEMPT, context }

/** The method, the path and the parameters of a request without the properties that it reads. */
export const lineOf = ({ method, path }: AppRequest): string => {
  const { pathname, searchParams } = new URL(path, 'http://hubspot.example')
  searchParams.delete('properties')
  return `${method} ${pathname}${searchParams.size > 0 ? `?${decodeURIComponent(searchParams.toString())}` : ''}`
}
