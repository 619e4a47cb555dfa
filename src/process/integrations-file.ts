/** Integrations from a file of the integrator, defined at each start in both environments. */
import { readFile } from 'node:fs/promises'
import type { ApiContext } from '../api/context.ts'
import { readIntegration } from '../api/integration-input.ts'
import { integrationFields } from '../api/operations/integrations.ts'
import { ApiError } from '../errors.ts'
import { readInput } from '../query/input.ts'
import { defineIntegration } from '../store/workflows/integrations.ts'

const readList = async (path: string): Promise<readonly unknown[]> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : 'the file cannot be read'
    throw new Error(`INTEGRATIONS_FILE ${path}: ${reason}.`)
  }
  if (!Array.isArray(parsed))
    throw new Error(`INTEGRATIONS_FILE ${path}: expected a list of integrations.`)
  return parsed
}

/**
 * Defines the integrations in the file. Others stay as they are; an unchanged definition creates no new version.
 * @throws Error naming the file, the entry and the invalid field; then no integration is defined
 */
export const loadIntegrations = async (
  context: Pick<ApiContext, 'database' | 'vault' | 'connectors' | 'readWorkflow'>,
  environmentIds: readonly string[],
  path: string,
): Promise<void> => {
  const definitions = (await readList(path)).map((entry, index) => {
    try {
      // Validated like the input of the API operation that defines an integration.
      return readIntegration(context, readInput(integrationFields, entry) as never)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new Error(`INTEGRATIONS_FILE ${path}: entry ${index}: ${error.message}`)
    }
  })
  for (const environmentId of environmentIds)
    for (const definition of definitions)
      if (
        (await defineIntegration(context.database, context.vault, environmentId, definition)) ===
        'other app'
      )
        throw new Error(
          `INTEGRATIONS_FILE ${path}: ${definition.slug} was first defined with another app. Use another slug.`,
        )
}
