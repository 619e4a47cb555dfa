/** Signing secrets of integrations: read and rotated by the integrator. */
import { text } from '../../definition/field.ts'
import {
  readIntegrationSecret,
  rotateIntegrationSecret,
} from '../../store/secrets/integration-secrets.ts'
import { defineOperation } from '../operation.ts'
import { EXAMPLE_INTEGRATION, integrationId, noIntegration } from './integrations.ts'

const tag = 'Integrations'
const PATH = '/2024-03/integrations/:integrationId/secret'
const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

export const integrationSecretOperations = [
  defineOperation({
    name: 'integrationSecret',
    mutation: 'revealIntegrationSecret',
    summary: 'Get the signing secret of an integration',
    doc: "Returns the secret that signs the HTTP requests of an integration's workflows (Standard Webhooks).",
    tag,
    rest: { method: 'GET', path: PATH },
    callers: ['key'],
    path: { integrationId },
    response: { key: 'secret', value: text('`whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: { input: { integrationId: EXAMPLE_INTEGRATION }, result: EXAMPLE_SECRET },
    run: async ({ database, vault, caller }, { integrationId: id }) => {
      const secret = await readIntegrationSecret(database, vault, caller.environmentId, id)
      if (secret === undefined) throw noIntegration()
      return secret
    },
  }),
  defineOperation({
    name: 'rotateIntegrationSecret',
    summary: 'Rotate the signing secret of an integration',
    doc: 'Creates a new signing secret for an integration. For 24 hours, requests are signed with both secrets.',
    tag,
    rest: { method: 'POST', path: PATH },
    callers: ['key'],
    path: { integrationId },
    response: { key: 'secret', value: text('The new secret: `whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: { input: { integrationId: EXAMPLE_INTEGRATION }, result: EXAMPLE_SECRET },
    run: async ({ database, vault, caller }, { integrationId: id }) => {
      const secret = await rotateIntegrationSecret(database, vault, caller.environmentId, id)
      if (secret === undefined) throw noIntegration()
      return secret
    },
  }),
]
